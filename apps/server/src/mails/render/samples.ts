// Example values of each kind, for previews and for the names of placeholders.
import type { MailKind, MailValues } from '../kinds.ts'

type Samples = { readonly [K in MailKind]: MailValues[K] }

/** @param origin of the console */
export function sampleValues(origin: string): Samples {
  const name = 'Ada Lovelace'
  const link = (path: string): string => `${origin}${path}`
  return {
    confirm: {
      name,
      username: 'ada',
      at: '2026-11-23T04:17:00.000Z',
      link: link('/validation-account?token=example'),
      hours: 24,
    },
    'confirm-address': { name, link: link('/confirm-address?token=example'), hours: 24 },
    recover: { name, link: link('/update-password?token=example'), hours: 24 },
    'account-exists': { name, link: link('/login') },
    invitation: {
      namespace: 'lab',
      inviter: 'Grace Hopper',
      role: 'operator',
      link: link('/accept-invite?sig=example'),
      days: 7,
    },
    'reset-code': { name, code: 'K7QX-29FM', link: link('/reset-mfa?id=example'), hours: 24 },
    notice: {
      name,
      event: 'new-device',
      subject: '',
      source: '203.0.113.7',
      browser: 'Firefox on Linux',
      at: '2026-11-23T04:17:00.000Z',
      link: link('/profile'),
    },
    'namespace-deleted': {
      name,
      namespace: 'factory',
      until: '2026-11-30T04:17:00.000Z',
      link: link('/profile'),
    },
    'link-identity': {
      name,
      provider: 'https://idp.example.com/metadata',
      link: link('/sign-in/link?proof=example'),
      hours: 1,
    },
    'certificate-ends': {
      name,
      provider: 'https://idp.example.com/metadata',
      subject: 'CN=idp.example.com',
      end: '2026-12-23T04:17:00.000Z',
      newer: false,
      link: link('/instance/sign-in'),
    },
    'server-certificate-ends': {
      name,
      names: 'bowline.example.com',
      renewed: true,
      failure: 'The authority cannot be reached.',
      end: '2026-12-07T04:17:00.000Z',
      link: link('/instance/certificates'),
    },
    alert: {
      name,
      namespace: 'factory',
      rule: 'Kiosks offline',
      text: '3 devices have been offline for 5 minutes: kiosk-1, kiosk-2, kiosk-3.',
      last: false,
      link: link('/incidents'),
    },
    'access-requested': {
      name,
      namespace: 'factory',
      requester: 'bob',
      place: 'kiosk-1',
      accounts: 'root',
      minutes: 60,
      reason: 'The disk is full, ticket 4711',
      link: link('/access-requests'),
    },
    'access-decided': {
      name,
      namespace: 'factory',
      outcome: 'approved',
      by: 'ada',
      place: 'kiosk-1',
      accounts: 'root',
      until: '2026-11-23T05:17:00.000Z',
      note: '',
      link: link('/access-requests'),
    },
    test: { link: link('/') },
  }
}
