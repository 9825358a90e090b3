// For tests: a CA, with certificates of an engine at 127.0.0.1 and of its client, made by openssl.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** PEM texts. */
export interface Certificates {
  readonly ca: string
  readonly server: { readonly cert: string; readonly key: string }
  readonly client: { readonly cert: string; readonly key: string }
}

export function makeCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'bowline-certificates-'))
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-noenc', '-keyout']
  try {
    openssl('req', '-x509', ...key, 'ca.key', '-out', 'ca.crt', '-days', '2', '-subj', '/CN=engine CA')
    for (const [name, use] of [
      ['server', 'serverAuth\nsubjectAltName=IP:127.0.0.1'],
      ['client', 'clientAuth'],
    ]) {
      writeFileSync(join(folder, `${name}.ext`), `extendedKeyUsage=${use}\n`)
      openssl('req', ...key, `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`)
      const signed = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', `${name}.ext`]
      openssl('x509', '-req', '-in', `${name}.csr`, '-out', `${name}.crt`, '-days', '2', ...signed)
    }
    return {
      ca: read('ca.crt'),
      server: { cert: read('server.crt'), key: read('server.key') },
      client: { cert: read('client.crt'), key: read('client.key') },
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
