// Texts of the preview of a recording.
import { i18n } from '../../../platform/language/i18n.ts'

export const previewMessages = {
  screen: i18n._('The last screen'),
  loading: i18n._('Loading the preview'),
  preparing: i18n._('The recording is being prepared. Its last screen can be seen in a moment.'),
  running: i18n._('The session is still running: watch it instead.'),
  empty: i18n._('The screen is empty.'),
  lasts: (duration: string) => i18n._('Duration: {duration}', { duration }),
  commands: (count: number) => i18n._('{count, plural, one {# command} other {# commands}}', { count }),
  files: (count: number) => i18n._('{count, plural, one {# file transferred} other {# files transferred}}', { count }),
  lastCommands: i18n._('The last commands'),
  noted: i18n._('The audit log records that you viewed it.'),
} as const
