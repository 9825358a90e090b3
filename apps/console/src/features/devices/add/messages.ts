// Texts of the ways to add a device.
import { i18n } from '../../../platform/language/i18n.ts'

export const pairingMessages = {
  title: i18n._('Pair with a code'),
  intro: i18n._(
    'An agent that was installed without a namespace shows a code in its log. The code expires after 15 minutes.',
  ),
  code: i18n._('Device code'),
  codeHint: i18n._('Eight letters, such as WDJB-MJHT.'),
  tooShort: i18n._('must have eight letters'),
  lookUp: i18n._('Find device'),
  lookUpFailed: i18n._('The code could not be looked up'),
  notFound: i18n._('belongs to no waiting device; it may have expired: the device shows its current one'),
  found: (name: string) => i18n._('Found {name}. Compare its key fingerprint before you add it.', { name }),
  isIt: (name: string) => i18n._('Is {name} your device?', { name }),
  compare: i18n._('Add it only if the device shows the same fingerprint.'),
  facts: {
    system: i18n._('System'),
    version: i18n._('Agent'),
    source: i18n._('Address'),
    fingerprint: i18n._('Key fingerprint'),
    asked: i18n._('Asked'),
  },
  name: i18n._('Name'),
  replaces: (old: string) =>
    i18n._(
      'It has the MAC address of the accepted device {old}. It is added as pending: compare both keys, then accept it.',
      { old },
    ),
  gone: i18n._('The code has expired, or somebody has used it. Find the device by its current code.'),
  add: i18n._('Add device'),
  back: i18n._('Back'),
  addFailed: i18n._('The device could not be added'),
  added: (name: string) => i18n._('{name} is added.', { name }),
  roleTooLow: i18n._('Your role in this namespace does not allow this.'),
}

export const addingMessages = {
  label: i18n._('Ways to add a device'),
  ways: {
    yes: i18n._('One machine'),
    many: i18n._('Many machines'),
    agentless: i18n._('Without an agent'),
    code: i18n._('With a code'),
  },
  manyText: i18n._(
    'An install key makes one command for all machines: for images, cloud-init or Ansible. It sets the tags of the devices, and whether they are accepted at once.',
  ),
  toInstallKeys: i18n._('Create an install key'),
  enrolText: i18n._(
    'A router, a NAS or another machine that cannot run the agent connects by its own ssh client. Write an install key in place of KEY.',
  ),
  enrolCommand: i18n._('the enrolment command'),
  enrolFailed: i18n._('The enrolment command could not be created.'),
  toEnrolment: i18n._('Devices without an agent'),
  onPhone: i18n._('Continue on your phone'),
  phoneCode: i18n._('QR code with the address of this dialog'),
  phoneText: i18n._('Scan it with the camera, sign in on the phone, and type the code that the device shows.'),
}
