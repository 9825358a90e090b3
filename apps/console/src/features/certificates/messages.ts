// Texts of the page about certificates.
import { i18n } from '../../platform/language/i18n.ts'

export const certificateMessages = {
  title: i18n._('Certificates'),
  loadFailed: i18n._('The certificates could not be loaded.'),
  noAccess: i18n._('Only administrators of this server can manage its certificates'),
  noAccessText: i18n._(
    'This page is for administrators of the server. On the server, “bowline user admin <username>” makes an account one.',
  ),
  none: i18n._('This server has no certificate'),
  noneText: i18n._(
    'This server speaks plain HTTP: behind a proxy that terminates TLS, or on this machine only. Set BOWLINE_ACME_EMAIL to get a certificate.',
  ),
  uses: { console: i18n._('Console and API'), tunnels: i18n._('Tunnels') },
  sources: {
    acme: i18n._('Issued and renewed by an authority (ACME).'),
    files: i18n._('Loaded from files. The server does not renew it.'),
    'self-signed': i18n._('Self-signed by the server. Agents pin it; browsers show a warning.'),
  },
  states: {
    valid: i18n._('valid'),
    ending: i18n._('expires soon'),
    expired: i18n._('expired'),
    missing: i18n._('not issued yet'),
  },
  warnings: {
    ending: i18n._('The certificate expires soon and has not been renewed'),
    expired: i18n._('The certificate has expired'),
    missing: i18n._('The certificate authority has not issued the certificate yet'),
  },
  warningTexts: {
    acme: i18n._('The server retries automatically. Run “bowline certificate renew” to retry now.'),
    files: i18n._(
      'Replace the files named by BOWLINE_TLS_CERT_FILE and BOWLINE_TLS_KEY_FILE, then restart the server.',
    ),
    'self-signed': i18n._(
      'Delete tls.crt and tls.key from the data folder, then restart the server. Agents need the new pin.',
    ),
  },
  failed: i18n._('The last attempt failed'),
  attempts: (count: number) => i18n._('{count, plural, one {# attempt failed.} other {# attempts failed.}}', { count }),
  facts: {
    state: i18n._('State'),
    names: i18n._('Names'),
    issuer: i18n._('Issuer'),
    starts: i18n._('Valid from'),
    ends: i18n._('Valid until'),
    renewal: i18n._('Next renewal'),
    fingerprint: i18n._('SHA-256 fingerprint'),
    directory: i18n._('ACME directory'),
    email: i18n._('Contact'),
    challenge: i18n._('Proof of the name'),
  },
  renewing: i18n._('renewing now'),
} as const
