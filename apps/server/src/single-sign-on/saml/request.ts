// Authentication requests to the identity provider, by the HTTP-Redirect binding.
import { SAML } from '@node-saml/node-saml'
import { PERSISTENT } from './names.ts'
import { toPem } from './metadata.ts'

/**
 * The provider's address with a request.
 * @param request.id of the request, an XML name
 * @param request.signingKey PEM private key; undefined: unsigned
 */
export function requestAddress(request: {
  readonly id: string
  readonly entityId: string
  readonly consumerUrl: string
  readonly signonUrl: string
  readonly certificates: readonly string[]
  readonly signingKey: string | undefined
  readonly forceSignIn: boolean
}): Promise<string> {
  const saml = new SAML({
    issuer: request.entityId,
    callbackUrl: request.consumerUrl,
    entryPoint: request.signonUrl,
    idpCert: request.certificates.map((certificate) => toPem(certificate)),
    generateUniqueId: () => request.id,
    identifierFormat: PERSISTENT,
    disableRequestedAuthnContext: true,
    forceAuthn: request.forceSignIn,
    ...(request.signingKey === undefined
      ? {}
      : { privateKey: request.signingKey, signatureAlgorithm: 'sha256' as const }),
  })
  return saml.getAuthorizeUrlAsync('', undefined, {})
}
