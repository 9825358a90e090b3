// Texts of signing in.
export const signInMessages = {
  title: 'Sign in',
  heading: 'Sign in to Bowline',
  username: 'Username or e-mail',
  password: 'Password',
  submit: 'Sign in',
  usernameRequired: 'Enter your username or e-mail address.',
  passwordRequired: 'Enter your password.',
  expired: 'Your session has ended. Sign in again to go on.',
  badCredentials: 'The username or password is wrong.',
  lockedOut: (countdown: string) => `Too many failed attempts. You can try again in ${countdown}.`,
  lockoutOver: 'You can try again now.',
  server: (host: string, version: string) => `${host} · version ${version}`,
  failed: 'Signing in did not work',
  notSetUp: 'This instance is not set up yet',
  notSetUpText: 'Open the set-up link that the server printed when it started; it creates the first account.',
} as const
