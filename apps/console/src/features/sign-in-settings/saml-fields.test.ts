import { describe, expect, it } from 'vitest'
import { ByAddress, ByHand, ByMetadata, Mapping, joinCertificates, splitCertificates } from './saml-fields.ts'

const BY_HAND = {
  entity_id: 'https://idp.example.com',
  signon_url: 'https://idp.example.com/sso',
  certificates: 'AAAA',
}

describe('certificates of a form', () => {
  it('come back from their PEM form, whatever is around them', () => {
    const certificates = ['A'.repeat(100), 'B'.repeat(64)]
    const pem = joinCertificates(certificates)
    expect(pem.split('\n').every((line) => line.length <= 64)).toBe(true)
    const found = splitCertificates(`subject=CN = idp\n${pem.replaceAll('\n', '\r\n')}\n`)
    expect(found.map((one) => one.replaceAll(/-----[A-Z ]+-----|\s/g, ''))).toEqual(certificates)
  })

  it('may be one without its PEM lines', () => {
    expect(splitCertificates(' AAAA\nBBBB \n')).toEqual(['AAAA\nBBBB'])
    expect(splitCertificates(' \n')).toEqual([])
  })
})

describe('the forms of the SAML provider', () => {
  it('accept what the server accepts', () => {
    expect(ByHand.parse(BY_HAND)).toEqual({ ...BY_HAND, certificates: ['AAAA'] })
    const mapping = { email_attribute: ' mail ', name_attribute: 'name', group_attribute: 'groups' }
    expect(Mapping.parse(mapping)).toMatchObject({ email_attribute: 'mail' })
  })

  it.each([
    [ByHand, { ...BY_HAND, entity_id: ' ' }, 'entity_id'],
    [ByHand, { ...BY_HAND, signon_url: 'idp.example.com' }, 'signon_url'],
    [ByHand, { ...BY_HAND, certificates: '' }, 'certificates'],
    [ByAddress, { metadata_url: '' }, 'metadata_url'],
    [ByMetadata, { metadata: '' }, 'metadata'],
    [Mapping, { email_attribute: '', name_attribute: 'name', group_attribute: 'groups' }, 'email_attribute'],
  ])('report a wrong value at its field: %#', (schema, values, field) => {
    const { error } = schema.safeParse(values)
    expect(new Set(error?.issues.map(({ path }) => path[0]))).toEqual(new Set([field]))
  })
})
