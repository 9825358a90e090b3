// Texts of signing in.
import { i18n } from '../../platform/language/i18n.ts'

export const signInMessages = {
  title: i18n._('Sign in'),
  heading: i18n._('Sign in to Bowline'),
  username: i18n._('Username or e-mail'),
  password: i18n._('Password'),
  submit: i18n._('Sign in'),
  sso: i18n._('Sign in with single sign-on'),
  ssoWith: (name: string) => i18n._('Sign in with {name}', { name }),
  signedOutText: (name: string) => i18n._('You are signed out here. You may still be signed in at {name}.', { name }),
  signOutThere: (name: string) => i18n._('Also sign out at {name}', { name }),
  missingAttributes: (names: string) =>
    i18n._('Your identity provider did not send what this server needs: {names}. Its administrator can change that.', {
      names,
    }),
  refused: {
    answer: i18n._(
      'The answer of your identity provider was not accepted. Try again; an administrator finds the reason in the log.',
    ),
    request: i18n._('This sign-in took too long or began in another browser. Try again.'),
    address: i18n._(
      'Your identity provider has not verified your e-mail address, so no account can be created with it.',
    ),
    account: i18n._('Your account is not active. Ask an administrator of this server.'),
    off: i18n._('This sign-in method is disabled.'),
    token: i18n._('This sign-in has expired. Try again.'),
    factor: i18n._('Your account needs a second factor. Sign in with your password to use it.'),
  },
  linkTitle: i18n._('Link your account'),
  linkHeading: i18n._('Is this your account?'),
  linkText: i18n._(
    'An account with your e-mail address exists already. Enter its password once: from then on your identity provider signs you in to it.',
  ),
  linkSubmit: i18n._('Link and sign in'),
  proofAsk: i18n._('Send me a mail instead'),
  proof: {
    sent: i18n._('A mail to the address of the account is on its way. Open its link in this browser, within an hour.'),
    refused: i18n._('The account has a second factor, so only its password links it.'),
  },
  proofText: i18n._('Your identity provider signs you in to your account from now on.'),
  proofRefused: i18n._(
    'This link has expired, was already used, or was opened in a different browser from the one that requested it. Sign in with your identity provider again.',
  ),
  linkBack: i18n._('Back to sign-in'),
  noProvider: i18n._('No identity provider is configured.'),
  usernameRequired: i18n._('Enter your username or e-mail address.'),
  passwordRequired: i18n._('Enter your password.'),
  expired: i18n._('Your session has ended. Sign in again to continue.'),
  tookTooLong: i18n._('The second step took too long. Start again with your password.'),
  badCredentials: i18n._('The username or password is wrong.'),
  lockedOut: (countdown: string) =>
    i18n._('Too many failed attempts. You can try again in {countdown}.', { countdown }),
  lockoutOver: i18n._('You can try again now.'),
  server: (host: string, version: string) => i18n._('{host} · version {version}', { host, version }),
  forgot: i18n._('Forgot your password?'),
  signUp: i18n._('Create an account'),
  failed: i18n._('Signing in did not work'),
  notSetUp: i18n._('This instance is not set up yet'),
  notSetUpText: i18n._('Open the set-up link that the server printed when it started; it creates the first account.'),
} as const
