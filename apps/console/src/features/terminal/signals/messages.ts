// Texts about what programs in terminals ask for.
import { i18n } from '../../../platform/language/i18n.ts'

export const signalMessages = {
  bell: i18n._('bell'),
  progress: {
    running: (percent: string) => `${percent} %`,
    busy: i18n._('busy'),
    failed: i18n._('failed'),
    paused: i18n._('paused'),
  },
  clipboard: {
    asks: (device: string, characters: string) =>
      i18n._('{device} wants to copy {characters} characters to your clipboard:', { device, characters }),
    tooLong: (device: string) =>
      i18n._('{device} wanted to copy more than 256 KiB to your clipboard. Nothing was copied.', { device }),
    allow: i18n._('Allow'),
    deny: i18n._('Deny'),
    dismiss: i18n._('Dismiss'),
    written: (device: string, characters: number) =>
      i18n._(
        '{device} copied {characters, plural, =1 {a character} one {# character} other {# characters}} to your clipboard.',
        { device, characters },
      ),
    remember: i18n._('Remember for this device in this browser'),
  },
} as const
