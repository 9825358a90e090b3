import { describe, expect, it } from 'vitest'
import { catalogFile, readCatalog, translationsOf } from '../../../locales/catalog.ts'
import { createMessageFormat } from './message.ts'
import { createServerText } from './server-text.ts'

const german = createServerText(translationsOf(readCatalog(catalogFile('de'))), createMessageFormat('de'))

describe('a text of the server', () => {
  it.each([
    ['Only an administrator of this server may do this.', 'Das darf nur ein Administrator dieses Servers.'],
    ['The account already has 10 passkeys.', 'Das Konto hat schon 10 Passkeys.'],
    ['must have 3 to 30 characters', 'muss 3 bis 30 Zeichen haben'],
    ['must be 1 to 1440', 'muss zwischen 1 und 1440 liegen'],
    ['The device was not found.', 'Nicht gefunden: das Gerät.'],
    ['it failed on 3 of the 5 devices that tried it', 'er ist auf 3 von 5 Geräten fehlgeschlagen'],
    [
      'the server has no signed release any more: its agents are not signed',
      'der Server hat keine signierte Version mehr: seine Agenten sind nicht signiert',
    ],
    ['device lost', 'Gerät nicht mehr verbunden'],
  ])('is translated with its values: %s', (text, translation) => {
    expect(german(text)).toBe(translation)
  })

  it('stays in English when there is no translation', () => {
    expect(german('Nobody has ever seen this.')).toBe('Nobody has ever seen this.')
  })

  it('stays as it is in a console without a catalog', () => {
    expect(createServerText({}, createMessageFormat('en'))('must have {min}')).toBe('must have {min}')
  })
})
