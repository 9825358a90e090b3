// Texts of the way to a terminal: apart from those of the terminals, which only come with them.
export const connectMessages = {
  connect: 'Connect',
  connectTo: (device: string) => `Connect to ${device}`,
  offline: 'The device is offline.',
  roleTooLow: 'Your role in this namespace does not allow this.',
} as const
