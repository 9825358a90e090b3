// Texts of the device picker.
import { i18n } from '../../platform/language/i18n.ts'

export const pickerMessages = {
  clear: i18n._('Clear the device'),
  loading: i18n._('Loading …'),
  none: i18n._('No matches'),
}
