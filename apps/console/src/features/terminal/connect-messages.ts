// Texts of the button that opens a terminal; separate, because the terminals' own texts load with them.
export const connectMessages = {
  connect: 'Connect',
  connectTo: (device: string) => `Connect to ${device}`,
  offline: 'The device is offline.',
  roleTooLow: 'Your role in this namespace does not allow this.',
} as const
