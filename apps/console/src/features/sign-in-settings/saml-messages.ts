// Texts about the SAML provider: how it is described, its options, and the keys of this server.
export const samlMessages = {
  describe: 'Set the provider',
  describeText:
    'With another provider, or without any of the certificates so far, SAML is off until a test with it has been successful.',
  how: 'Describe it by',
  ways: { url: 'Address of its metadata', xml: 'Its metadata as XML', hand: 'Entity ID, address and certificates' },
  labels: {
    metadata_url: 'Metadata address',
    metadata: 'Metadata (XML)',
    entity_id: 'Entity ID',
    signon_url: 'Sign-in address',
    certificates: 'Certificates',
    email_attribute: 'Attribute with the e-mail address',
    name_attribute: 'Attribute with the name',
    group_attribute: 'Attribute with the groups',
  },
  hints: {
    metadata_url: 'It is read again every day.',
    signon_url: 'The provider’s address for the HTTP-Redirect binding.',
    certificates:
      'PEM, of RSA keys; several one below the other. Keep the old one until the provider signs with the new.',
  },
  set: 'Set provider',
  providerSet: 'The provider is set. Test it before you switch SAML on.',
  providerNotSet: 'The provider was not set',
  mapping: 'Attributes',
  mappingText: 'Names of the attributes in the provider’s answers; upper and lower case do not matter.',
  saveMapping: 'Save attributes',
  mappingSaved: 'The attributes are saved',
  mappingNotSaved: 'The attributes were not saved',
  options: 'Options of SAML',
  sign_requests: {
    label: 'Sign requests',
    hint: 'The provider can check that a request comes from this server. It needs the certificate of this server.',
  },
  unsolicited: {
    label: 'Sign-ins that the provider begins',
    hint: 'People open Bowline from the provider’s own page.',
  },
  unsolicitedTitle: 'Accept sign-ins that the provider begins?',
  unsolicitedText:
    'Such an answer belongs to no browser: somebody who has a valid one can sign another person in to an account that is not theirs. Each answer still works once only. Leave this off unless people need to start at the provider’s page.',
  unsolicitedConfirm: 'Accept them',
  unsolicitedIsOn: 'Sign-ins that the provider begins are accepted: they are bound to no browser.',
  keys: 'Keys of this server',
  keysText: 'They sign requests, and decrypt answers that the provider encrypts.',
  keyUntil: (end: string) => `Valid until ${end}`,
  keyRoles: {
    only: 'In use',
    next: 'New: in the metadata, does not sign yet',
    last: 'Signs requests until the change is finished',
  },
  certificateWhat: (end: string) => `the certificate that is valid until ${end}`,
  begin: 'Change the key',
  beginTitle: 'Begin to change the key?',
  beginText:
    'A new key is added to the metadata of this server. The present one keeps signing. Import the metadata at the provider again, then finish the change here.',
  beginFailed: 'The change did not begin',
  begun: 'A new key is in the metadata. Import them at the provider now.',
  isChanging:
    'The key is being changed. Import the metadata of this server at the provider again, or give it the new certificate, before you finish.',
  finish: 'Finish the change',
  finishTitle: 'Finish the change of the key?',
  finishText:
    'The old key is deleted and the new one signs from now on. A provider that has not imported the new certificate refuses signed requests, and answers that it encrypts for the old key cannot be read: nobody could sign in by SAML.',
  finishFailed: 'The change was not finished',
  finished: 'The new key is in use',
} as const
