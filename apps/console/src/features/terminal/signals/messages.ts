// Texts about what programs in terminals ask for.
export const signalMessages = {
  bell: 'bell',
  progress: { running: (percent: string) => `${percent} %`, busy: 'busy', failed: 'failed', paused: 'paused' },
  clipboard: {
    asks: (device: string, characters: string) => `${device} wants to put ${characters} characters on your clipboard:`,
    tooLong: (device: string) => `${device} wanted to put more than 256 KiB on your clipboard. Nothing was copied.`,
    allow: 'Allow',
    deny: 'Deny',
    dismiss: 'Dismiss',
    written: (device: string, shown: string, characters: number) =>
      `${device} has put ${characters === 1 ? 'a character' : `${shown} characters`} on your clipboard.`,
    remember: 'Remember for this device in this browser',
  },
} as const
