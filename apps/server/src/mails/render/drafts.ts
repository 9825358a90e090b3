// The built-in texts, one for each kind of mail: a new kind does not compile without its text.
import { LIMITS } from '@bowline/contract/limits'
import type { MailKind, MailValues, NoticeEvent } from '../kinds.ts'
import type { Draft } from './letter.ts'
import { count, defused, duration, timeText } from './words.ts'

const ACCESS_OUTCOMES = {
  approved: { subject: 'your access was approved', sentence: 'Your request was approved. You now have access to' },
  denied: { subject: 'your request was denied', sentence: 'Your request was denied. You have no access to' },
  ended: { subject: 'your access has ended', sentence: 'Your access was ended early. You no longer have access to' },
} as const

/** Subject and sentence of each event of an account. */
const NOTICES: Readonly<
  Record<NoticeEvent, { readonly subject: string; readonly sentence: string; readonly about: string }>
> = {
  'new-device': {
    subject: 'Sign-in from a new browser',
    sentence: 'Your account was signed in to from a new browser.',
    about: '',
  },
  'password-changed': {
    subject: 'Your password was changed',
    sentence: 'The password of your account was changed.',
    about: '',
  },
  'password-removed': {
    subject: 'Your password was removed',
    sentence: 'The password of your account was removed. Only your passkeys can sign in now.',
    about: '',
  },
  'passkey-added': {
    subject: 'A passkey was added',
    sentence: 'A passkey was added to your account. It can sign in without the password.',
    about: 'Passkey',
  },
  'passkey-removed': {
    subject: 'A passkey was removed',
    sentence: 'A passkey was removed from your account.',
    about: 'Passkey',
  },
  'address-changed': {
    subject: 'Your e-mail address was changed',
    sentence: 'The e-mail address of your account was changed. From now on, mail is sent to the new address.',
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
    sentence: 'One of your recovery codes was used to sign in to your account. It cannot be used again.',
    about: 'Note',
  },
  'recovery-codes-renewed': {
    subject: 'New recovery codes',
    sentence: 'New recovery codes were generated for your account. The previous codes no longer work.',
    about: '',
  },
  'factors-reset': {
    subject: 'Your second factors were removed',
    sentence: 'All second factors were removed from your account. A password alone is now enough to sign in.',
    about: 'Note',
  },
  'identity-linked': {
    subject: 'A sign-in provider was linked',
    sentence:
      'An identity of a sign-in provider was linked to your account and can now sign in to it. If it is not yours, remove it in your profile, change your password, and sign out everywhere.',
    about: 'Identity',
  },
  'identity-removed': {
    subject: 'A sign-in provider was unlinked',
    sentence: 'An identity of a sign-in provider was removed from your account. It can no longer sign in.',
    about: 'Identity',
  },
}

type Texts = { readonly [K in MailKind]: (values: MailValues[K]) => Draft }

const DRAFTS: Texts = {
  confirm: ({ name, username, at, link, hours }) => ({
    subject: 'Confirm your e-mail address',
    paragraphs: [hello(name), 'We received a request to create an account with this e-mail address.'],
    facts: [
      ['Username', defused(username, 40)],
      ['Time', timeText(at)],
    ],
    link: { label: 'Confirm the address', href: link },
    closing: [
      `The link is valid for ${count(hours, 'hour')}. The page it opens asks you to confirm.`,
      'If this wasn’t you, ignore this e-mail and do not confirm: the password was chosen by whoever made the request.',
    ],
  }),
  'confirm-address': ({ name, link, hours }) => ({
    subject: 'Confirm your new e-mail address',
    paragraphs: [hello(name), 'We received a request to use this e-mail address for an existing account.'],
    link: { label: 'Confirm the new address', href: link },
    closing: [
      `The link is valid for ${count(hours, 'hour')}. The page it opens asks you to confirm; until you do, the account keeps its current address.`,
      'If this wasn’t you, ignore this e-mail and do not confirm: the account belongs to whoever made the request.',
    ],
  }),
  recover: ({ name, link, hours }) => ({
    subject: 'Set a new password',
    paragraphs: [hello(name), 'We received a request to reset the password of your account.'],
    link: { label: 'Set a new password', href: link },
    closing: [
      `The link can be used once and is valid for ${count(hours, 'hour')}.`,
      'If this wasn’t you, ignore this e-mail. Your password does not change unless the link is used.',
    ],
  }),
  'account-exists': ({ name, link }) => ({
    subject: 'You already have an account',
    paragraphs: [
      hello(name),
      'We received a request to create an account with this e-mail address, but it already has one.',
    ],
    link: { label: 'Sign in', href: link },
    closing: ['If this wasn’t you, ignore this e-mail. Nothing has changed.'],
  }),
  invitation: ({ namespace, inviter, role, link, days }) => ({
    subject: `Invitation to ${defused(namespace, 40)}`,
    paragraphs: [
      'Hello,',
      `${defused(inviter)} invites you to the namespace ${defused(namespace, 40)}, with the role ${defused(role, 30)}.`,
    ],
    link: { label: 'Accept the invitation', href: link },
    closing: [`The link is valid for ${count(days, 'day')}. If you do not know the sender, ignore this e-mail.`],
  }),
  'reset-code': ({ name, code, link, hours }) => ({
    subject: 'Code to turn off your second factor',
    paragraphs: [
      hello(name),
      'We received a request to turn off the second factor of your account. This requires two codes: this one, and one sent to your other e-mail address. Do not share them with anyone.',
    ],
    code: defused(code, 40),
    link: { label: 'Enter both codes', href: link },
    closing: [
      `The code is valid for ${count(hours, 'hour')}.`,
      'If this wasn’t you, do not share the code. Nothing changes without both codes.',
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
      closing: ['If this wasn’t you, change your password now and end any sign-ins you do not recognise.'],
    }
  },
  'namespace-deleted': ({ name, namespace, until, link }) => ({
    subject: `The namespace ${defused(namespace, 40)} was deleted`,
    paragraphs: [
      hello(name),
      `Your namespace ${defused(namespace, 40)} was deleted. Nobody can sign in to it or its devices any more, and its sessions have ended.`,
      `You can restore it with everything in it until the date below. After that, its devices, settings and recordings are permanently deleted.`,
    ],
    facts: [['Until', timeText(until)]],
    link: { label: 'Restore the namespace', href: link },
    closing: [
      'If you want it to be deleted, you do not need to do anything.',
      'If you did not delete it, restore it and change your password.',
    ],
  }),
  'link-identity': ({ name, provider, link, hours }) => ({
    subject: 'Link your account to your identity provider',
    paragraphs: [
      hello(name),
      'We received a sign-in through an identity provider with the e-mail address of your account. If you agree, that provider can sign you in to this account from now on.',
    ],
    facts: [['Provider', defused(provider)]],
    link: { label: 'Link the account', href: link },
    closing: [
      `The link can be used once, in the browser that requested it, and is valid for ${count(hours, 'hour')}.`,
      'If this wasn’t you, do not open the link. Nothing changes without it.',
    ],
  }),
  'certificate-ends': ({ name, provider, subject, end, newer, link }) => ({
    subject: 'A certificate of your SAML provider expires soon',
    paragraphs: [
      hello(name),
      'A certificate that your identity provider uses to sign its responses expires soon.',
      newer
        ? 'Another certificate is valid for longer. You do not need to do anything if the provider signs with that one by then.'
        : 'The provider will switch to a new one by then. Add it to this server first, or nobody will be able to sign in with SAML.',
    ],
    facts: [
      ['Provider', defused(provider)],
      ['Certificate', defused(subject)],
      ['Expires', timeText(end)],
    ],
    link: { label: 'Open the sign-in settings', href: link },
    closing: ['You are receiving this e-mail because you administer the server.'],
  }),
  'server-certificate-ends': ({ name, names, renewed, failure, end, link }) => ({
    subject: 'The certificate of your server expires soon',
    paragraphs: [
      hello(name),
      renewed
        ? 'The certificate of the server should have been renewed by now. Once it expires, browsers, agents and tunnels will refuse to connect.'
        : 'The certificate of the server is loaded from a file and expires soon. Once it expires, browsers, agents and tunnels will refuse to connect.',
    ],
    facts: [
      ['Names', defused(names)],
      ['Expires', timeText(end)],
      ...(failure === '' ? [] : [['Last failure', defused(failure)] as const]),
    ],
    link: { label: 'Open the certificates', href: link },
    closing: ['You are receiving this e-mail because you administer the server.'],
  }),
  alert: ({ name, namespace, rule, text, last, link }) => ({
    subject: `${defused(namespace, 40)}: ${defused(rule, 60)}`,
    paragraphs: [
      hello(name),
      defused(text, 2_000),
      ...(last
        ? ['You will receive no more alert e-mails this hour. The console lists further alerts under their rules.']
        : []),
    ],
    facts: [
      ['Namespace', defused(namespace, 40)],
      ['Alert rule', defused(rule, 60)],
    ],
    link: { label: 'Open the incidents', href: link },
    closing: [
      'You are receiving this e-mail because an alert rule of the namespace includes you. Its administrators can change that.',
    ],
  }),
  'access-requested': ({ name, namespace, requester, place, accounts, minutes, reason, link }) => ({
    subject: `${defused(namespace, 40)}: ${defused(requester, 40)} requests access`,
    paragraphs: [
      hello(name),
      `${defused(requester, 40)} requests access to ${defused(place, 80)} in the namespace ${defused(namespace, 40)}, which the firewall blocks.`,
    ],
    facts: [
      ['Reason', defused(reason, 500)],
      ['As', defused(accounts, 600)],
      ['For', duration(minutes)],
    ],
    link: { label: 'Review the request', href: link },
    closing: [
      `You are receiving this e-mail because you can edit the firewall rules of the namespace. The request expires after ${count(LIMITS.accessRequests.pendingHours, 'hour')}.`,
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
    closing: ['You are receiving this e-mail because you requested access.'],
  }),
  test: ({ link }) => ({
    subject: 'Test mail',
    paragraphs: ['Hello,', 'This is a test e-mail: the server can send mail.'],
    link: { label: 'Open the console', href: link },
    closing: ['It was requested by an administrator of the server.'],
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
