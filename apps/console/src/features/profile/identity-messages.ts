// Texts of linked identities on the profile.
import type { LinkedBy } from '@bowline/contract/schemas/user'
import { i18n } from '../../platform/language/i18n.ts'

export const identityMessages = {
  title: i18n._('Linked sign-in providers'),
  text: i18n._(
    'Anyone who signs in with one of these identities at its provider is signed in to your account, whatever your password is. Remove any that is not yours.',
  ),
  columns: { provider: i18n._('Provider'), who: i18n._('As'), linked: i18n._('Linked'), used: i18n._('Last used') },
  by: {
    password: i18n._('by your password'),
    mail: i18n._('by a mailed link'),
    address: i18n._('by its address, which this server trusts'),
    'sign-in': i18n._('by the first sign-in'),
    invitation: i18n._('by an invitation'),
    unknown: '',
  } satisfies Record<LinkedBy, string>,
  empty: i18n._('No sign-in provider is linked to your account.'),
  loadFailed: i18n._('Your linked providers could not be loaded'),
  remove: i18n._('Remove'),
  removeNamed: (email: string, provider: string) => i18n._('Remove {email} at {provider}', { email, provider }),
  removeTitle: (provider: string) => i18n._('Remove the identity at {provider}?', { provider }),
  removeText: i18n._(
    'It can no longer sign in to your account, and memberships from its provider’s groups end. Sessions it started continue: sign out everywhere if it was not yours.',
  ),
  removed: (provider: string) => i18n._('The identity at {provider} is removed.', { provider }),
  removeFailed: i18n._('The identity was not removed'),
  stay: i18n._('Linked sign-in providers can still sign in.'),
  check: i18n._('Check that all of them are yours'),
} as const
