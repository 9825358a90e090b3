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
  notFound: i18n._('is unknown or has expired; the device shows the current one'),
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
  gone: i18n._('The code has expired or was already used. Enter the code that the device shows now.'),
  add: i18n._('Add device'),
  back: i18n._('Back'),
  addFailed: i18n._('The device could not be added'),
  added: (name: string) => i18n._('{name} is added.', { name }),
  roleTooLow: i18n._('Your role in this namespace does not allow this.'),
}

const NEXT = [
  i18n._('The device appears below within seconds, as pending.'),
  i18n._('Compare its key fingerprint with the one that the agent prints, and accept it.'),
  i18n._('Connect to it with the SSH command that is shown then.'),
]
const NEXT_MANY = [
  i18n._('Each device appears below when it registers, as pending.'),
  i18n._('Accept them here, or all at once in the list. With an install key, they are accepted automatically.'),
]
const NEXT_WITH_KEY = [
  i18n._('The device appears below when it registers, with the tags of the key.'),
  i18n._('It is accepted automatically if the key allows it; otherwise accept it here.'),
]

export const addingMessages = {
  label: i18n._('Ways to add a device'),
  ways: {
    linux: i18n._('Linux'),
    container: i18n._('Container'),
    cloud: i18n._('Cloud-init'),
    fleet: i18n._('Fleet'),
    agentless: i18n._('Without an agent'),
    code: i18n._('With a code'),
  },
  intros: {
    linux: i18n._(
      'Run one of these on the machine. Both download the agent from this server and register the device here.',
    ),
    container: i18n._(
      'This runs the agent in a container of its own, which becomes a device. Its key is kept in a volume, so a new container is the same device.',
    ),
    cloud: i18n._(
      'Give this to new machines as their user data. The agent is installed at the first boot, and each machine makes its own key.',
    ),
    fleet: i18n._(
      'Both install the agent if it is missing and otherwise change nothing, so they are safe to run repeatedly. There is no agent for macOS or Windows; on Windows it runs in WSL 2.',
    ),
  },
  snippets: {
    service: i18n._('As a service, for all accounts'),
    user: i18n._('Without root, in the foreground, for your own account'),
    userData: i18n._('User data'),
    script: i18n._('Script for a management tool, run as root'),
  },
  copied: (label: string) => i18n._('the command: {label}', { label }),
  pages: {
    platforms: i18n._('Supported platforms'),
    containers: i18n._('Containers of a device as devices of their own'),
    fleet: i18n._('Rolling out to a fleet'),
    wsl: i18n._('Windows (WSL 2)'),
  },
  key: i18n._('Install key (optional)'),
  keyHint: i18n._(
    'Tags the devices and accepts them automatically if the key allows it. It is filled into the commands.',
  ),
  keyWrong: i18n._('An install key is ik- and 26 letters and digits.'),
  nextTitle: i18n._('What happens next'),
  next: {
    linux: NEXT,
    container: NEXT,
    cloud: NEXT_MANY,
    fleet: NEXT_MANY,
    agentless: [i18n._('Create an install key and enter it above: this method requires one.'), ...NEXT_WITH_KEY],
    code: [
      i18n._('You compare the fingerprint that the device shows.'),
      i18n._('The device is accepted, and you can connect to it.'),
    ],
  },
  nextWithKey: {
    linux: NEXT_WITH_KEY,
    container: NEXT_WITH_KEY,
    cloud: NEXT_WITH_KEY,
    fleet: NEXT_WITH_KEY,
    agentless: NEXT_WITH_KEY,
    code: [],
  },
  toInstallKeys: i18n._('Create an install key'),
  enrolText: i18n._(
    'A router, a NAS or another machine that cannot run the agent connects by its own ssh client. Replace KEY with an install key.',
  ),
  enrolCommand: i18n._('the enrollment command'),
  enrolFailed: i18n._('The enrollment command could not be created.'),
  toEnrolment: i18n._('Devices without an agent'),
  phoneCode: i18n._('QR code with the address of this dialog'),
  phoneAccept: i18n._('Scan it to open this on your phone, and accept the device from there.'),
  phoneNot: (address: string) =>
    i18n._('A phone cannot open this address: {address} is only reachable from this machine.', { address }),
  phoneAddress: i18n._('Give the server an address for others'),
  phoneText: i18n._('Scan it with the camera, sign in on the phone, and type the code that the device shows.'),
}
