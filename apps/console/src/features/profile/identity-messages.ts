// Texts of linked identities on the profile.
import type { LinkedBy } from '@bowline/contract/schemas/user'

export const identityMessages = {
  title: 'Linked sign-in providers',
  text: 'Whoever signs in to one of these identities at its provider signs in to your account, whatever your password is. Remove one that is not yours.',
  columns: { provider: 'Provider', who: 'As', linked: 'Linked', used: 'Last used' },
  by: {
    password: 'by your password',
    mail: 'by a mailed link',
    address: 'by its address, which this server trusts',
    'sign-in': 'by the first sign-in',
    invitation: 'by an invitation',
    unknown: '',
  } satisfies Record<LinkedBy, string>,
  empty: 'No sign-in provider is linked to your account.',
  loadFailed: 'Your linked providers could not be loaded',
  remove: 'Remove',
  removeNamed: (email: string, provider: string) => `Remove ${email} at ${provider}`,
  removeTitle: (provider: string) => `Remove the identity at ${provider}?`,
  removeText:
    'It does not sign in to your account any more, and memberships that groups of its provider gave you end. Sessions that it has begun stay: sign out everywhere if it was not yours.',
  removed: (provider: string) => `The identity at ${provider} is removed.`,
  removeFailed: 'The identity was not removed',
  stay: 'Linked sign-in providers go on to sign in.',
  check: 'Check that all of them are yours',
} as const
