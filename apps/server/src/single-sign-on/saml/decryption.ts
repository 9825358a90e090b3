// Decryption of encrypted assertions, with algorithms that are not broken.
import { type DomElement, decryptedText } from './library.ts'
import { XENC } from './names.ts'
import { XmlRefused, type XmlElement, attributeOf, everyElement } from './xml-tree.ts'

const METHODS = new Set([
  `${XENC}aes128-cbc`,
  `${XENC}aes256-cbc`,
  'http://www.w3.org/2009/xmlenc11#aes128-gcm',
  'http://www.w3.org/2009/xmlenc11#aes256-gcm',
  `${XENC}rsa-oaep-mgf1p`,
  'http://www.w3.org/2009/xmlenc11#rsa-oaep',
])

/**
 * Decrypts an assertion with one of our keys.
 * @param keys PEM private keys, the newest first
 * @throws {XmlRefused} with one reason for every failure of decryption itself
 */
export async function decryptAssertion(
  { element, node }: { readonly element: XmlElement; readonly node: DomElement },
  keys: readonly string[],
): Promise<string> {
  const methods = everyElement(element).filter((one) => one.ns === XENC && one.local === 'EncryptionMethod')
  if (methods.length !== 2 || methods.some((one) => !METHODS.has(attributeOf(one, 'Algorithm') ?? ''))) {
    throw new XmlRefused('its encryption algorithms are not allowed')
  }
  for (const key of keys) {
    const text = await decryptedText(node.toString(), key)
    if (text !== undefined) return text
  }
  throw new XmlRefused('its assertion cannot be decrypted')
}
