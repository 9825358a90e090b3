// Texts about the SAML provider: how it is described, its options, and the keys of this server.
import { i18n } from '../../platform/language/i18n.ts'

export const samlMessages = {
  describe: i18n._('Set the provider'),
  describeText: i18n._(
    'With another provider, or without any of the current certificates, SAML stays off until a test succeeds.',
  ),
  how: i18n._('Metadata from'),
  ways: {
    url: i18n._('Address of its metadata'),
    xml: i18n._('Its metadata as XML'),
    hand: i18n._('Entity ID, address and certificates'),
  },
  labels: {
    metadata_url: i18n._('Metadata address'),
    metadata: i18n._('Metadata (XML)'),
    entity_id: i18n._('Entity ID'),
    signon_url: i18n._('Sign-in address'),
    certificates: i18n._('Certificates'),
    email_attribute: i18n._('Attribute with the e-mail address'),
    name_attribute: i18n._('Attribute with the name'),
    group_attribute: i18n._('Attribute with the groups'),
  },
  hints: {
    metadata_url: i18n._('It is read again every day.'),
    signon_url: i18n._('The provider’s address for the HTTP-Redirect binding.'),
    certificates: i18n._(
      'PEM, of RSA keys; several one below the other. Keep the old one until the provider signs with the new.',
    ),
  },
  set: i18n._('Set provider'),
  providerSet: i18n._('Provider saved. Test it before you turn SAML on.'),
  providerNotSet: i18n._('The provider was not set'),
  mapping: i18n._('Attributes'),
  mappingText: i18n._('Names of the attributes in the provider’s answers; upper and lower case do not matter.'),
  saveMapping: i18n._('Save attributes'),
  mappingSaved: i18n._('The attributes are saved'),
  mappingNotSaved: i18n._('The attributes were not saved'),
  options: i18n._('SAML options'),
  sign_requests: {
    label: i18n._('Sign requests'),
    hint: i18n._(
      'The provider can check that a request comes from this server. It needs the certificate of this server.',
    ),
  },
  unsolicited: {
    label: i18n._('Provider-initiated sign-ins'),
    hint: i18n._('People open Bowline from the provider’s own page.'),
  },
  unsolicitedTitle: i18n._('Accept provider-initiated sign-ins?'),
  unsolicitedText: i18n._(
    'Such a response is not bound to a browser: anyone who has a valid one can sign another person in to an account that is not theirs. Each response still works only once. Leave this off unless people need to start on the provider’s page.',
  ),
  unsolicitedConfirm: i18n._('Accept them'),
  unsolicitedIsOn: i18n._('Provider-initiated sign-ins are accepted: they are not bound to a browser.'),
  keys: i18n._('Keys of this server'),
  keysText: i18n._('They sign requests, and decrypt answers that the provider encrypts.'),
  keyUntil: (end: string) => i18n._('Valid until {end}', { end }),
  keyRoles: {
    only: i18n._('In use'),
    next: i18n._('New: in the metadata, does not sign yet'),
    last: i18n._('Signs requests until the change is finished'),
  },
  certificateWhat: (end: string) => i18n._('the certificate that is valid until {end}', { end }),
  begin: i18n._('Change the key'),
  beginTitle: i18n._('Start changing the key?'),
  beginText: i18n._(
    'A new key is added to the metadata of this server. The present one keeps signing. Import the metadata at the provider again, then finish the change here.',
  ),
  beginFailed: i18n._('The change was not started'),
  begun: i18n._('A new key is in the metadata. Import them at the provider now.'),
  isChanging: i18n._(
    'The key is being changed. Import the metadata of this server at the provider again, or give it the new certificate, before you finish.',
  ),
  finish: i18n._('Finish the change'),
  finishTitle: i18n._('Finish changing the key?'),
  finishText: i18n._(
    'The old key is deleted and the new one signs from now on. A provider that has not imported the new certificate refuses signed requests, and answers that it encrypts for the old key cannot be read: nobody could sign in by SAML.',
  ),
  finishFailed: i18n._('The change was not finished'),
  finished: i18n._('The new key is in use'),
} as const
