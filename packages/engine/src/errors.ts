// Failures of an engine, with a text that administrators of a namespace may read.

/** A call that was refused, failed, or got an answer that is not one. The message is a clause without a full stop. */
export class EngineError extends Error {
  /** Status of the engine's answer; undefined when there was none. */
  readonly status: number | undefined

  constructor(message: string, status?: number) {
    super(message)
    this.name = 'EngineError'
    this.status = status
  }
}

/** @returns the failure as an {@link EngineError}; what the engine said is not part of it */
export function asEngineError(error: unknown): EngineError {
  if (error instanceof EngineError) return error
  const { code, message } = error as NodeJS.ErrnoException
  const known = code === undefined ? undefined : REASONS[code]
  if (known !== undefined) return new EngineError(known)
  if (code === 'EPROTO' || code?.startsWith('ERR_SSL') || code?.startsWith('ERR_OSSL')) {
    return new EngineError(`TLS with the engine failed (${code})`)
  }
  if (code !== undefined) return new EngineError(`the engine cannot be reached (${code})`)
  return new EngineError(`the engine cannot be reached (${message.slice(0, 100)})`)
}

const CERTIFICATE = 'the certificate of the engine is not signed by the CA of the connector'
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the engine refuses connections at this address and port',
  ECONNRESET: 'the engine closed the connection; TLS or a client certificate may be required',
  EPIPE: 'the engine closed the connection',
  EHOSTUNREACH: 'the network has no route to the engine',
  ENETUNREACH: 'the network has no route to the engine',
  ETIMEDOUT: 'the engine did not answer in time',
  HPE_INVALID_CONSTANT: 'what answers at this address and port is not an HTTP server without TLS',
  HPE_HEADER_OVERFLOW: 'the headers of the answer are too large',
  ERR_SSL_WRONG_VERSION_NUMBER: 'what answers at this address and port does not speak TLS',
  SELF_SIGNED_CERT_IN_CHAIN: CERTIFICATE,
  DEPTH_ZERO_SELF_SIGNED_CERT: CERTIFICATE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: CERTIFICATE,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: CERTIFICATE,
  UNABLE_TO_GET_ISSUER_CERT: CERTIFICATE,
  CERT_SIGNATURE_FAILURE: CERTIFICATE,
  CERT_HAS_EXPIRED: 'the certificate of the engine has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate of the engine is for another address',
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: 'the engine does not accept the client certificate',
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: 'the engine does not accept the client certificate',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'the engine requires a client certificate',
}
