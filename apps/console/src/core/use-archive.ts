// Downloads of archives: the server gives a link that works once, and the browser follows it.
import { useAction } from './use-action.ts'

interface ArchiveOptions {
  /** Asks for the link. @returns its path */
  readonly link: () => Promise<{ readonly body: { readonly path: string } }>
  readonly done: string
  readonly failed: string
}

export function useArchive({ link, done, failed }: ArchiveOptions) {
  return useAction({
    async call() {
      const { body } = await link()
      // The answer is a download: the page stays.
      location.assign(body.path)
    },
    done,
    failed,
  })
}
