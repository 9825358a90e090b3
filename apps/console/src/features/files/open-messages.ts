// Texts of the button that opens the files of a device; separate, because the files' own texts load with them.
import { i18n } from '../../platform/language/i18n.ts'

export const openFilesMessages = {
  title: i18n._('Files'),
  of: (device: string) => i18n._('Files of {device}', { device }),
} as const
