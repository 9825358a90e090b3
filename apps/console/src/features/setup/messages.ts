// Texts of the first-run set-up.
import { i18n } from '../../platform/language/i18n.ts'

export const setupMessages = {
  title: i18n._('Set up'),
  heading: i18n._('Set up Bowline'),
  text: i18n._('Create the first account. It owns a namespace of the same name as its username.'),
  labels: { name: i18n._('Name'), email: i18n._('E-mail'), username: i18n._('Username'), password: i18n._('Password') },
  hints: {
    username: i18n._('You sign in with it, and it is part of your devices’ SSH addresses.'),
    password: i18n._('5 to 30 characters.'),
  },
  submit: i18n._('Create account'),
  failed: i18n._('The account was not created'),
  done: i18n._('Account created.'),
  noLink: i18n._('This link is incomplete'),
  noLinkText: i18n._('Set-up needs the whole link that the server printed when it started, with its “sign” part.'),
  already: i18n._('This instance is set up already'),
  alreadyText: i18n._('The first account exists. Sign in with it, or ask the operator of this server for an account.'),
  toSignIn: i18n._('Go to sign-in'),
} as const
