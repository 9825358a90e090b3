// Texts of the button that opens a terminal; separate, because the terminals' own texts load with them.
import { i18n } from '../../platform/language/i18n.ts'

export const connectMessages = {
  connect: i18n._('Connect'),
  connectTo: (device: string) => i18n._('Connect to {device}', { device }),
  offline: i18n._('The device is offline.'),
  roleTooLow: i18n._('Your role in this namespace does not allow this.'),
} as const
