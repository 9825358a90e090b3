// Texts of the first-run set-up.
export const setupMessages = {
  title: 'Set up',
  heading: 'Set up Bowline',
  text: 'Create the first account. It owns a namespace of the same name as its username.',
  labels: { name: 'Name', email: 'E-mail', username: 'Username', password: 'Password' },
  hints: {
    username: 'You sign in with it, and it is part of your devices’ SSH addresses.',
    password: '5 to 30 characters.',
  },
  submit: 'Create account',
  failed: 'The account was not created',
  done: 'Account created.',
  noLink: 'This link is incomplete',
  noLinkText: 'Set-up needs the whole link that the server printed when it started, with its “sign” part.',
  already: 'This instance is set up already',
  alreadyText: 'The first account exists. Sign in with it, or ask the operator of this server for an account.',
  toSignIn: 'Go to sign-in',
} as const
