// Fields of the forms about the SAML provider, and what is sent of them.
import { SamlProviderBody } from '@bowline/contract/operations/single-sign-on'
import { z } from 'zod'

const { shape } = SamlProviderBody

export const ByAddress = z.object({ metadata_url: shape.metadata_url.unwrap() })
export const ByMetadata = z.object({ metadata: z.string().min(1, 'is required').pipe(shape.metadata.unwrap()) })
export const ByHand = z.object({
  entity_id: shape.entity_id.unwrap(),
  signon_url: shape.signon_url.unwrap(),
  certificates: z
    .string()
    .transform((text) => splitCertificates(text))
    .pipe(z.array(z.string()).min(1, 'are required').max(10, 'must be at most 10')),
})
export const Mapping = z.object({
  email_attribute: shape.email_attribute.unwrap(),
  name_attribute: shape.name_attribute.unwrap(),
  group_attribute: shape.group_attribute.unwrap(),
})

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

/**
 * The certificates of a text: its PEM blocks, whatever is around them, or a single one as bare base64.
 * @returns none for an empty text
 */
export function splitCertificates(text: string): string[] {
  const blocks = text.match(BLOCK)
  if (blocks) return [...blocks]
  return text.trim() === '' ? [] : [text.trim()]
}

/** PEM blocks, one below the other. @param certificates base64 of the DER form */
export function joinCertificates(certificates: readonly string[]): string {
  return certificates
    .map(
      (base64) =>
        `-----BEGIN CERTIFICATE-----\n${base64.replaceAll(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
    )
    .join('')
}
