// Texts of the page about certificates.
export const certificateMessages = {
  title: 'Certificates',
  loadFailed: 'The certificates could not be loaded.',
  noAccess: 'Administrators of this server look after its certificates',
  noAccessText:
    'This page is for administrators of the server. On the server, “bowline user admin <username>” makes an account one.',
  none: 'This server has no certificate',
  noneText:
    'It speaks HTTP, behind a proxy that terminates TLS or for its own machine only. BOWLINE_ACME_EMAIL gets a certificate.',
  uses: { console: 'Console and API', tunnels: 'Tunnels' },
  sources: {
    acme: 'Issued and renewed by an authority (ACME).',
    files: 'From files of the operator. The server does not renew it.',
    'self-signed': 'The server has made it itself: agents pin it, browsers warn.',
  },
  states: {
    valid: 'valid',
    ending: 'ends soon',
    expired: 'expired',
    missing: 'not issued yet',
  },
  warnings: {
    ending: 'The certificate ends soon and has not been renewed',
    expired: 'The certificate has expired',
    missing: 'The authority has not issued the certificate yet',
  },
  warningTexts: {
    acme: 'The server retries automatically. Run “bowline certificate renew” to retry now.',
    files: 'Put a new one into the files of BOWLINE_TLS_CERT_FILE and BOWLINE_TLS_KEY_FILE, and restart the server.',
    'self-signed': 'Remove tls.crt and tls.key of the data folder, and restart the server. Agents need its new pin.',
  },
  failed: 'The last attempt failed',
  attempts: (count: number) => (count === 1 ? '1 attempt failed.' : `${count} attempts failed.`),
  facts: {
    state: 'State',
    names: 'Names',
    issuer: 'Issuer',
    starts: 'Valid from',
    ends: 'Valid until',
    renewal: 'Next renewal',
    fingerprint: 'SHA-256 fingerprint',
    directory: 'ACME directory',
    email: 'Contact',
    challenge: 'Proof of the name',
  },
  renewing: 'renewing now',
} as const
