// Saves every row of a list that matches as a file.
import type { ExportFormat } from '@bowline/contract/schemas/common'
import { saveFile } from '../ui/text/save-file.ts'
import { useAction } from './use-action.ts'

interface ListExport {
  /** Name of the file, without its extension. */
  readonly name: string
  /** Asks the server for the rows. */
  readonly open: (format: ExportFormat) => Promise<Response>
  /** Sentence when it does not work. */
  readonly failed: string
}

export function useListExport({ name, open, failed }: ListExport): (format: ExportFormat) => void {
  const act = useAction({
    // An answer that is cut off rejects: no part is saved as the whole.
    call: async (format: ExportFormat) => saveFile(await (await open(format)).blob(), `${name}.${format}`),
    failed,
  })
  return (format) => void act.run(format)
}
