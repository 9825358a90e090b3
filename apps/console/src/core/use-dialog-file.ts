import { useLater } from '../platform/lazy-part.tsx'
import type { PageFile } from '../platform/page-files.ts'
import { notifyFailure } from '../ui/feedback/notify.tsx'
import { appMessages } from './messages.ts'

/**
 * The module of a dialog that most visits of a page do not open. When it cannot be loaded, a notification says so.
 * @param onClose the dialog is not wanted any more
 */
export function useDialogFile<Module>(
  file: PageFile<Module>,
  isWanted: boolean,
  onClose: () => void,
): Module | undefined {
  return useLater(file, isWanted, (error) => {
    onClose()
    notifyFailure({ title: appMessages.unloadedText, error })
  })
}
