// Parts of the product that are declared and documented but do not work yet. The documentation takes its notices from
// here; a test fails when a part lands and is still listed, or is declared and not listed.
import type { SettingName } from './config.ts'

export interface PendingPart {
  /** Name of the part, as the beginning of a sentence. */
  readonly title: string
  /** What does not work, and the workaround. */
  readonly missing: string
  /** Operations that answer 501 until it works. */
  readonly operations: readonly string[]
  /** Settings that will be added with it. A name that is in the registry means that the part has landed. */
  readonly settings: readonly string[]
}

export const NOT_YET = {
  mail: {
    title: 'Mail',
    missing:
      'This version sends no mail: accounts are created by the set-up page or by `bowline user create`, and passwords are set by `bowline user password`.',
    operations: [
      'users.register',
      'users.resendEmail',
      'users.recoverPassword',
      'users.resetPassword',
      'users.validateAccount',
      'users.remove',
    ],
    settings: ['BOWLINE_SMTP_URL'],
  },
  invitations: {
    title: 'Invitations',
    missing:
      'Invitation-link calls answer 501. In the community and enterprise editions `POST /api/namespaces/{tenant}/members` makes people who have an account members at once; in the cloud edition it answers 501 as well, and whoever runs the server adds them with `bowline namespace member add`.',
    operations: ['members.invite', 'members.acceptInvite', 'members.inviteStatus'],
    settings: [],
  },
  mfa: {
    title: 'The second factor',
    missing: 'The calls on this page check credential and input and then answer 501. Sign-in asks for a password only.',
    operations: [
      'mfa.authenticate',
      'mfa.recover',
      'mfa.requestReset',
      'mfa.generate',
      'mfa.enable',
      'mfa.disable',
      'mfa.reset',
    ],
    settings: [],
  },
  saml: {
    title: 'Sign-in by SAML',
    missing: '`GET /api/user/saml/auth` answers 501. People sign in with username and password.',
    operations: ['saml.start'],
    settings: [],
  },
  tunnels: {
    title: 'The data path of HTTP tunnels',
    missing:
      'Tunnels can be created, listed and deleted, and expire; requests to their addresses do not reach the device yet. Forward a port with `ssh -L` meanwhile.',
    operations: [],
    settings: [],
  },
  connectors: {
    title: 'Connectors',
    missing: 'Connectors are saved and checked; this version does not dial the Docker engine yet.',
    operations: ['connectors.info'],
    settings: [],
  },
  billing: {
    title: 'The payment provider',
    missing: 'Calls that need the payment provider answer 501. Self-hosted editions have no device limit.',
    operations: [
      'billing.createCustomer',
      'billing.getCustomer',
      'billing.createSubscription',
      'billing.getSubscription',
      'billing.attachPaymentMethod',
      'billing.detachPaymentMethod',
      'billing.setDefaultPaymentMethod',
      'billing.report',
    ],
    settings: [],
  },
  severalNodes: {
    title: 'Running several nodes',
    missing: 'Run one server process for an installation; it may use your own PostgreSQL.',
    operations: [],
    settings: ['BOWLINE_REDIS_URL'],
  },
} as const satisfies Record<string, PendingPart>

export type PendingPartName = keyof typeof NOT_YET

/** Settings of pending parts that are in the registry: those parts have landed. */
export function landedSettings(known: readonly SettingName[]): string[] {
  const names: readonly string[] = known
  return Object.values<PendingPart>(NOT_YET).flatMap(({ settings }) => settings.filter((name) => names.includes(name)))
}
