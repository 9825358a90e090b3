// The mails that the server sends, and what each of them says.

/** Events of an account that its owner is told about, in case somebody else caused them. */
export type NoticeEvent =
  | 'new-device'
  | 'password-changed'
  | 'password-removed'
  | 'address-changed'
  | 'factor-added'
  | 'passkey-added'
  | 'passkey-removed'
  | 'factor-removed'
  | 'recovery-code-used'
  | 'recovery-codes-renewed'
  | 'factors-reset'
  | 'identity-linked'
  | 'identity-removed'

/** Values of each kind of mail. Links are complete addresses of the console. */
export interface MailValues {
  /** Confirmation of the address of a new account. */
  confirm: {
    readonly name: string
    readonly username: string
    /** Time of the registration, ISO 8601. */
    readonly at: string
    readonly link: string
    readonly hours: number
  }
  /** Confirmation of a new address of an existing account, to the new address. */
  'confirm-address': { readonly name: string; readonly link: string; readonly hours: number }
  recover: { readonly name: string; readonly link: string; readonly hours: number }
  /** Somebody registered with, or asked for, an address that has an account already. */
  'account-exists': { readonly name: string; readonly link: string }
  invitation: {
    readonly namespace: string
    readonly inviter: string
    readonly role: string
    readonly link: string
    readonly days: number
  }
  /** One of the two codes that switch the second factor off. */
  'reset-code': { readonly name: string; readonly code: string; readonly link: string; readonly hours: number }
  notice: {
    readonly name: string
    readonly event: NoticeEvent
    /** Subject of the event, such as the name of a passkey or the new address; '' if none. */
    readonly subject: string
    /** Address of the caller; '' for the command line. */
    readonly source: string
    readonly browser: string
    /** ISO 8601. */
    readonly at: string
    /** Page of the console where people check their account. */
    readonly link: string
  }
  /** To the owner of a namespace that was deleted. */
  'namespace-deleted': {
    readonly name: string
    readonly namespace: string
    /** When it is removed for good, ISO 8601. */
    readonly until: string
    /** Page of the console where it can be restored. */
    readonly link: string
  }
  /** Link that links an identity of a provider to the account with its address. */
  'link-identity': {
    readonly name: string
    /** Entity ID or issuer of the provider. */
    readonly provider: string
    readonly link: string
    readonly hours: number
  }
  /** To administrators of the server, before a certificate of the SAML provider ends. */
  'certificate-ends': {
    readonly name: string
    /** Entity ID of the provider. */
    readonly provider: string
    /** Subject of the certificate. */
    readonly subject: string
    /** ISO 8601. */
    readonly end: string
    /** True if another certificate of the provider is valid for longer. */
    readonly newer: boolean
    readonly link: string
  }
  /** To administrators of the server, before a certificate that the server shows ends. */
  'server-certificate-ends': {
    readonly name: string
    /** Names that it is for, separated by commas. */
    readonly names: string
    /** True if an authority issues it, which is what has failed. */
    readonly renewed: boolean
    /** Text of the last failure; ''. */
    readonly failure: string
    /** ISO 8601. */
    readonly end: string
    readonly link: string
  }
  /** To members whom an alert rule names. */
  alert: {
    readonly name: string
    readonly namespace: string
    /** Name of the rule. */
    readonly rule: string
    /** Summary of the changes. */
    readonly text: string
    /** True of the last mail of the hour: further messages are listed in the console only. */
    readonly last: boolean
    readonly link: string
  }
  /** To those who may decide a request for access. */
  'access-requested': {
    readonly name: string
    readonly namespace: string
    readonly requester: string
    /** A device, or all with a tag. */
    readonly place: string
    /** Separated by commas. */
    readonly accounts: string
    readonly minutes: number
    readonly reason: string
    readonly link: string
  }
  /** To the person who asked for access. */
  'access-decided': {
    readonly name: string
    readonly namespace: string
    readonly outcome: 'approved' | 'denied' | 'ended'
    /** Who decided or ended it. */
    readonly by: string
    readonly place: string
    readonly accounts: string
    /** End of approved access, ISO 8601; ''. */
    readonly until: string
    /** Of a denial; ''. */
    readonly note: string
    readonly link: string
  }
  test: { readonly link: string }
}

export type MailKind = keyof MailValues

/** Kinds whose link an administrator hands over where no mail is sent; codes and notices are never shown. */
export const LINK_KINDS = ['confirm', 'recover', 'invitation'] as const satisfies readonly MailKind[]
