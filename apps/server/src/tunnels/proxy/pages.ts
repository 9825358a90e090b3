// Pages of this server below the domain of tunnels: failures and the form of a password. They load and run nothing.
import { STATUS_CODES } from 'node:http'
import type { OutgoingHttpHeaders } from 'node:http'

/** An answer of this server, instead of the service's. */
export interface Page {
  readonly status: number
  readonly headers: OutgoingHttpHeaders
  readonly body: string
}

export const FAILURES = {
  // Equal for addresses that never existed, have expired or were removed.
  UNKNOWN: { status: 404, text: 'There is no tunnel at this address. It may have expired.' },
  LAPSED: { status: 402, text: 'The owner of this tunnel has to choose devices, or subscribe, in the console first.' },
  OFFLINE: { status: 503, text: 'The device is not connected.' },
  REFUSED: { status: 502, text: 'The device could not connect to the service.' },
  LOST: { status: 502, text: 'The service ended the connection without an answer.' },
  GONE: { status: 502, text: 'The device disconnected before the service had answered.' },
  CERTIFICATE: { status: 502, text: 'The certificate of the service could not be verified.' },
  TIMEOUT: { status: 504, text: 'The service did not answer in time.' },
  BAD_REQUEST: { status: 400, text: 'The request is not valid HTTP.' },
  TOO_LONG: { status: 414, text: 'The address of the request is too long.' },
  BUSY: { status: 503, text: 'Too many requests are under way.' },
  TOO_MANY: { status: 429, text: 'Too many requests; try again later.' },
  SIGN_IN: { status: 401, text: 'This tunnel is for members of its namespace: open it in a browser and sign in.' },
  PASSWORD: { status: 401, text: 'This tunnel asks for a password.' },
  FOREIGN: { status: 403, text: 'The request comes from another origin.' },
  VISIT_OVER: { status: 403, text: 'The link has been used or has expired. Open the tunnel again.' },
} as const satisfies Record<string, { readonly status: number; readonly text: string }>
export type FailureCode = keyof typeof FAILURES

const SAFE = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

/** A failure, as JSON where the client asks for it. @param accept value of the Accept header */
export function failurePage(code: FailureCode, accept: string | undefined): Page {
  const { status, text } = FAILURES[code]
  const retry = status === 503 || status === 429 ? { 'retry-after': '5' } : {}
  if (wantsJson(accept)) return json(status, { code: `TUNNEL_${code}`, message: text }, retry)
  return html(status, `<h1>${status} ${STATUS_CODES[status] ?? ''}</h1><p>${text}</p>`, retry)
}

/** The form of a tunnel with a password. @param path where the visitor was going */
export function passwordPage(path: string, problem?: string): Page {
  const alert = problem === undefined ? '' : `<p role="alert">${escape(problem)}</p>`
  return html(
    problem === undefined ? 401 : 403,
    `<h1>Password needed</h1><p>This tunnel asks for a password.</p>${alert}
<form method="post" action="/.bowline/door"><input type="hidden" name="path" value="${escape(path)}">
<label for="password">Password</label><input id="password" name="password" type="password" autocomplete="current-password" required autofocus>
<button>Open</button></form>`,
  )
}

/** Sends a browser elsewhere. */
export function redirectPage(location: string, headers: OutgoingHttpHeaders = {}): Page {
  return { status: 303, headers: { ...SAFE, location, 'content-length': 0, ...headers }, body: '' }
}

export function wantsJson(accept: string | undefined): boolean {
  const text = accept ?? ''
  return /\bapplication\/(?:[\w.-]+\+)?json\b/i.test(text) && !/\btext\/html\b/i.test(text)
}

function json(status: number, value: object, headers: OutgoingHttpHeaders): Page {
  return page(status, 'application/json; charset=utf-8', JSON.stringify(value), headers)
}

function html(status: number, content: string, headers: OutgoingHttpHeaders = {}): Page {
  const body = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Tunnel</title>
<style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:15vh auto;padding:0 1rem}label{display:block}input,button{font:inherit;padding:.4rem .6rem;margin:.3rem 0}</style></head>
<body><main>${content}</main></body></html>`
  return page(status, 'text/html; charset=utf-8', body, { 'content-security-policy': POLICY, ...headers })
}

function page(status: number, type: string, body: string, headers: OutgoingHttpHeaders): Page {
  return {
    status,
    headers: { ...SAFE, 'content-type': type, 'content-length': Buffer.byteLength(body), ...headers },
    body,
  }
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
}
