// The built-in texts, one for each kind of mail: a new kind does not compile without its text.
import { LIMITS } from '@bowline/contract/limits'
import type { MailKind, MailValues, NoticeEvent } from '../kinds.ts'
import type { Draft } from './letter.ts'
import { count, defused, duration, timeText } from './words.ts'

const ACCESS_OUTCOMES = {
  approved: { subject: 'your access was approved', sentence: 'Somebody approved your access to' },
  denied: { subject: 'your request was denied', sentence: 'Somebody denied your request for access to' },
  ended: { subject: 'your access has ended', sentence: 'Somebody ended your access to' },
} as const

/** Subject and sentence of each event of an account. */
const NOTICES: Readonly<
  Record<NoticeEvent, { readonly subject: string; readonly sentence: string; readonly about: string }>
> = {
  'new-device': {
    subject: 'Sign-in from a new browser',
    sentence: 'Somebody signed in to your account from a browser that was not used before.',
    about: '',
  },
  'password-changed': {
    subject: 'Your password was changed',
    sentence: 'The password of your account was changed.',
    about: '',
  },
  'password-removed': {
    subject: 'Your password was removed',
    sentence: 'The password of your account was removed: only its passkeys sign in now.',
    about: '',
  },
  'passkey-added': {
    subject: 'A passkey was added',
    sentence: 'A passkey was added to your account. It signs in without the password.',
    about: 'Passkey',
  },
  'passkey-removed': {
    subject: 'A passkey was removed',
    sentence: 'A passkey was removed from your account.',
    about: 'Passkey',
  },
  'address-changed': {
    subject: 'Your e-mail address was changed',
    sentence: 'The e-mail address of your account was changed. Mails go to the new one from now on.',
    about: 'New address',
  },
  'factor-added': {
    subject: 'A second factor was added',
    sentence: 'A second factor was added to your account.',
    about: 'Second factor',
  },
  'factor-removed': {
    subject: 'A second factor was removed',
    sentence: 'A second factor was removed from your account.',
    about: 'Second factor',
  },
  'recovery-code-used': {
    subject: 'A recovery code was used',
    sentence: 'Somebody signed in to your account with one of its recovery codes. That code is used up.',
    about: 'Note',
  },
  'recovery-codes-renewed': {
    subject: 'New recovery codes',
    sentence: 'New recovery codes were made for your account. The earlier ones do not work any more.',
    about: '',
  },
  'factors-reset': {
    subject: 'Your second factors were removed',
    sentence: 'All second factors of your account were removed: a password alone signs in now.',
    about: 'Note',
  },
  'identity-linked': {
    subject: 'A sign-in provider was linked',
    sentence:
      'An identity of a sign-in provider was linked to your account: whoever has it can sign in. If it is not yours, remove it on your profile, change your password, and sign out everywhere.',
    about: 'Identity',
  },
  'identity-removed': {
    subject: 'A sign-in provider was unlinked',
    sentence: 'An identity of a sign-in provider was removed from your account and does not sign in any more.',
    about: 'Identity',
  },
}

type Texts = { readonly [K in MailKind]: (values: MailValues[K]) => Draft }

const DRAFTS: Texts = {
  confirm: ({ name, username, at, link, hours }) => ({
    subject: 'Confirm your e-mail address',
    paragraphs: [hello(name), 'Somebody, most likely you, asked for an account with this e-mail address.'],
    facts: [
      ['Username', defused(username, 40)],
      ['Time', timeText(at)],
    ],
    link: { label: 'Confirm the address', href: link },
    closing: [
      `The link works for ${count(hours, 'hour')}. The page that it opens asks you to confirm.`,
      'If it was not you, ignore this mail and confirm nothing: whoever asked has chosen the password.',
    ],
  }),
  'confirm-address': ({ name, link, hours }) => ({
    subject: 'Confirm your new e-mail address',
    paragraphs: [hello(name), 'Somebody, most likely you, asked to use this e-mail address for their account.'],
    link: { label: 'Confirm the new address', href: link },
    closing: [
      `The link works for ${count(hours, 'hour')}. The page that it opens asks you to confirm; until then the earlier address stays in use.`,
      'If it was not you, ignore this mail and confirm nothing: the account belongs to whoever asked.',
    ],
  }),
  recover: ({ name, link, hours }) => ({
    subject: 'Set a new password',
    paragraphs: [hello(name), 'Somebody, most likely you, asked for a new password for your account.'],
    link: { label: 'Set a new password', href: link },
    closing: [
      `The link works once, for ${count(hours, 'hour')}.`,
      'If you did not ask for this, ignore this mail: nothing changes without the link.',
    ],
  }),
  'account-exists': ({ name, link }) => ({
    subject: 'You have an account already',
    paragraphs: [
      hello(name),
      'Somebody, most likely you, asked for an account with this e-mail address. It has one already.',
    ],
    link: { label: 'Sign in', href: link },
    closing: ['If it was not you, ignore this mail: nothing has changed.'],
  }),
  invitation: ({ namespace, inviter, role, link, days }) => ({
    subject: `Invitation to ${defused(namespace, 40)}`,
    paragraphs: [
      'Hello,',
      `${defused(inviter)} invites you to the namespace ${defused(namespace, 40)}, with the role ${defused(role, 30)}.`,
    ],
    link: { label: 'Accept the invitation', href: link },
    closing: [`The link works for ${count(days, 'day')}. If you do not know the sender, ignore this mail.`],
  }),
  'reset-code': ({ name, code, link, hours }) => ({
    subject: 'Code to switch the second factor off',
    paragraphs: [
      hello(name),
      'Somebody, most likely you, asked to switch the second factor of your account off. That takes two codes: this one, and one that went to your other e-mail address. Pass them on to nobody.',
    ],
    code: defused(code, 40),
    link: { label: 'Enter both codes', href: link },
    closing: [
      `The code works for ${count(hours, 'hour')}.`,
      'If it was not you, keep the code to yourself: without both codes nothing changes.',
    ],
  }),
  notice: ({ name, event, subject, source, browser, at, link }) => {
    const notice = NOTICES[event]
    return {
      subject: notice.subject,
      paragraphs: [hello(name), notice.sentence],
      facts: [
        ...(subject === '' ? [] : [[notice.about === '' ? 'About' : notice.about, defused(subject)] as const]),
        ['Time', timeText(at)],
        ['From', source === '' ? 'the command line of the server' : defused(source)],
        ['Browser', defused(browser)],
      ],
      link: { label: 'Check your account', href: link },
      closing: ['If it was not you, change your password now and end the sign-ins that you do not know.'],
    }
  },
  'namespace-deleted': ({ name, namespace, until, link }) => ({
    subject: `The namespace ${defused(namespace, 40)} was deleted`,
    paragraphs: [
      hello(name),
      `Your namespace ${defused(namespace, 40)} was deleted. Nobody can sign in to it or to its devices any more, and its sessions have ended.`,
      `Until then you can restore it with everything in it. Afterwards its devices, settings and recordings are removed for good.`,
    ],
    facts: [['Until', timeText(until)]],
    link: { label: 'Restore the namespace', href: link },
    closing: [
      'If you want it to be removed, you need not do anything.',
      'If you did not delete it, restore it and change your password.',
    ],
  }),
  'link-identity': ({ name, provider, link, hours }) => ({
    subject: 'Link your account to your identity provider',
    paragraphs: [
      hello(name),
      'Somebody, most likely you, signed in by an identity provider whose address for you is that of your account here. With your consent the provider signs you in to it from now on.',
    ],
    facts: [['Provider', defused(provider)]],
    link: { label: 'Link the account', href: link },
    closing: [
      `The link works once, for ${count(hours, 'hour')}, in the browser that asked for it.`,
      'If it was not you, do not open it: nothing changes without the link.',
    ],
  }),
  'certificate-ends': ({ name, provider, subject, end, newer, link }) => ({
    subject: 'A certificate of your SAML provider ends soon',
    paragraphs: [
      hello(name),
      'A certificate that your identity provider signs its answers with ends soon.',
      newer
        ? 'Another one is valid for longer. Nothing has to be done if the provider signs with that one by then.'
        : 'The provider will use a new one by then. Nobody can sign in by SAML until this server knows that one as well.',
    ],
    facts: [
      ['Provider', defused(provider)],
      ['Certificate', defused(subject)],
      ['End', timeText(end)],
    ],
    link: { label: 'Open the sign-in settings', href: link },
    closing: ['You get this mail because you administer the server.'],
  }),
  'server-certificate-ends': ({ name, names, renewed, failure, end, link }) => ({
    subject: 'The certificate of your server ends soon',
    paragraphs: [
      hello(name),
      renewed
        ? 'The certificate of the server should have been renewed by now. When it ends, browsers, agents and tunnels refuse to connect.'
        : 'The certificate of the server is from a file and ends soon. When it ends, browsers, agents and tunnels refuse to connect.',
    ],
    facts: [
      ['Names', defused(names)],
      ['End', timeText(end)],
      ...(failure === '' ? [] : [['Last failure', defused(failure)] as const]),
    ],
    link: { label: 'Open the certificates', href: link },
    closing: ['You get this mail because you administer the server.'],
  }),
  alert: ({ name, namespace, rule, text, last, link }) => ({
    subject: `${defused(namespace, 40)}: ${defused(rule, 60)}`,
    paragraphs: [
      hello(name),
      defused(text, 2_000),
      ...(last ? ['Further alerts of this hour are not mailed to you. The console lists them with their rules.'] : []),
    ],
    facts: [
      ['Namespace', defused(namespace, 40)],
      ['Alert rule', defused(rule, 60)],
    ],
    link: { label: 'Open the incidents', href: link },
    closing: [
      'You get this mail because an alert rule of the namespace names you. Its administrators can change that.',
    ],
  }),
  'access-requested': ({ name, namespace, requester, place, accounts, minutes, reason, link }) => ({
    subject: `${defused(namespace, 40)}: ${defused(requester, 40)} asks for access`,
    paragraphs: [
      hello(name),
      `${defused(requester, 40)} asks for access to ${defused(place, 80)} in the namespace ${defused(namespace, 40)}, which its firewall denies them.`,
    ],
    facts: [
      ['Reason', defused(reason, 500)],
      ['As', defused(accounts, 600)],
      ['For', duration(minutes)],
    ],
    link: { label: 'Decide the request', href: link },
    closing: [
      `You get this mail because you may change the firewall rules of the namespace. Without an answer within ${count(LIMITS.accessRequests.pendingHours, 'hour')} nobody is let in.`,
    ],
  }),
  'access-decided': ({ name, namespace, outcome, by, place, accounts, until, note, link }) => ({
    subject: `${defused(namespace, 40)}: ${ACCESS_OUTCOMES[outcome].subject}`,
    paragraphs: [
      hello(name),
      `${ACCESS_OUTCOMES[outcome].sentence} ${defused(place, 80)} in the namespace ${defused(namespace, 40)}.`,
    ],
    facts: [
      ['By', defused(by, 40)],
      ['As', defused(accounts, 600)],
      ...(until === '' ? [] : [['Until', timeText(until)] as const]),
      ...(note === '' ? [] : [['Note', defused(note, 500)] as const]),
    ],
    link: { label: 'Open your requests', href: link },
    closing: ['You get this mail because you asked for access.'],
  }),
  test: ({ link }) => ({
    subject: 'Test mail',
    paragraphs: ['Hello,', 'This is a test: the server can send mail.'],
    link: { label: 'Open the console', href: link },
    closing: ['Somebody who administers the server asked for it.'],
  }),
}

/** Built-in text of a mail. */
export function draftOf<K extends MailKind>(kind: K, values: MailValues[K]): Draft {
  return DRAFTS[kind](values)
}

/** Sentence about an event, for texts of the operator's own. */
export function eventSentence(event: NoticeEvent): string {
  return NOTICES[event].sentence
}

/** Every event, for previews. */
export const NOTICE_EVENTS = Object.keys(NOTICES) as readonly NoticeEvent[]
/** Every kind, for previews and for the names of files. */
export const MAIL_KINDS = Object.keys(DRAFTS) as readonly MailKind[]

function hello(name: string): string {
  return `Hello ${defused(name, 40)},`
}
