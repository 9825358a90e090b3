// The error catalogue: each way a call can fail, with its status and the message users read.
// `{word}` in a message is a placeholder for one of the error's details. Codes are for our own clients and logs;
// existing clients read only the status, the headers and, where the contract requires it, a bare list of field names.

interface ErrorSpec {
  readonly status: number
  readonly message: string
}

export const ERRORS = {
  INVALID_INPUT: { status: 400, message: '{field}: {rule}.' },
  INVALID_FILTER: { status: 400, message: 'filter: {rule}.' },
  DEVICE_STATUS_FINAL: { status: 400, message: 'An accepted device keeps its status; remove the device instead.' },
  ACCEPTANCE_FINAL: {
    status: 409,
    message:
      'Only whoever accepted a device can undo that, within {minutes} minutes, before its first session and unless it has replaced another one; remove the device instead.',
  },
  CODE_PENDING: { status: 400, message: 'Nobody has approved the code yet; ask again in {seconds} s.' },
  CODE_TOO_FAST: { status: 400, message: 'Asked too soon; wait {seconds} s between two calls.' },
  CODE_DENIED: { status: 400, message: 'The sign-in was denied.' },
  CODE_EXPIRED: { status: 400, message: 'The code has expired or was used; start again.' },
  UNAUTHORIZED: { status: 401, message: 'The JWT or API key is missing, malformed or no longer valid.' },
  BAD_CREDENTIALS: { status: 401, message: 'The username or password is wrong.' },
  MFA_REQUIRED: { status: 401, message: 'A code from the authenticator is needed.' },
  SECOND_FACTOR_WRONG: { status: 401, message: 'The code is wrong or has been used already.' },
  SECOND_FACTOR_EXPIRED: { status: 401, message: 'The sign-in has expired; start again with the password.' },
  PASSKEY_REFUSED: {
    status: 401,
    message: 'The passkey was not accepted, or the request for it has expired; try again.',
  },
  PAYMENT_REQUIRED: { status: 402, message: 'The namespace has reached its device limit of {limit}.' },
  CARD_REFUSED: { status: 402, message: 'The payment was refused: {reason}.' },
  SUBSCRIPTION_REQUIRED: { status: 402, message: 'The namespace has no active subscription.' },
  INSTANCE_ADMIN_REQUIRED: { status: 403, message: 'Only an administrator of this server may do this.' },
  FRESH_PROOF_REQUIRED: {
    status: 403,
    message:
      'Confirm that it is you: this change needs your second factor, or without one your password, used within the last {minutes} minutes.',
  },
  CODE_REFUSED: { status: 403, message: 'The code is wrong, has expired or has been used already.' },
  FACTOR_LIMIT: { status: 403, message: 'The account already has {limit} authenticators.' },
  FORBIDDEN: { status: 403, message: 'The role {role} may not do this.' },
  POLICY_CHANGE: {
    status: 403,
    message: 'This changes rules, keys or updates that the role {role} may not edit: {policies}.',
  },
  ROLE_TOO_HIGH: { status: 403, message: 'The role {role} may not grant or act on the role {target}.' },
  ROLE_PROVISIONED: {
    status: 403,
    message: 'The role of this member comes from groups of the identity provider; change it there.',
  },
  PROVISIONING_OFF: { status: 403, message: 'Provisioning is switched off in this namespace.' },
  SERVICE_KEY_REFUSED: { status: 403, message: '{rule}.' },
  OWNER_REFUSED: { status: 403, message: '{rule}.' },
  NAMESPACE_LIMIT: { status: 403, message: 'The account may own {limit} namespaces.' },
  TUNNEL_LIMIT: { status: 403, message: 'The device already has {limit} tunnels.' },
  PASSKEY_LIMIT: { status: 403, message: 'The account already has {limit} passkeys.' },
  POLICY_LIMIT: { status: 403, message: 'The namespace already has {limit} {what}.' },
  NAMESPACE_DISABLED: {
    status: 403,
    message: 'This namespace has been disabled by an administrator of this server.',
  },
  NAMESPACE_FULL: { status: 403, message: 'The namespace has reached its limit of {limit} {what}.' },
  ACCESS_REQUESTS_OFF: { status: 403, message: 'Access requests are switched off in this namespace.' },
  ACCESS_REQUEST_LIMIT: { status: 403, message: 'You already have {limit} {what}, the most allowed.' },
  OWN_ACCESS_REQUEST: { status: 403, message: 'Another member has to decide on your request.' },
  NOT_YOURS: { status: 403, message: 'The request is for another account.' },
  SCOPE_REQUIRED: { status: 403, message: 'This API key lacks the scope {scope}.' },
  USER_TOKEN_REQUIRED: { status: 403, message: 'API keys cannot be used here; sign in as a user.' },
  NO_NAMESPACE: { status: 403, message: 'The token belongs to no namespace.' },
  SEARCH_REFUSED: { status: 403, message: 'The application id or key of the search service is missing or wrong.' },
  ORIGIN_REFUSED: { status: 403, message: 'The request comes from another origin.' },
  INSTALL_KEY_REFUSED: { status: 403, message: 'The install key is refused: {reason}.' },
  SETUP_REFUSED: { status: 403, message: 'The set-up link is wrong or the instance is set up already.' },
  REGISTRATION_CLOSED: {
    status: 403,
    message: 'This server creates no account for you: ask whoever runs it for an account or an invitation.',
  },
  EMAIL_UNCONFIRMED: { status: 403, message: 'The e-mail address has not been confirmed yet.' },
  DEVICE_LIMIT: {
    status: 403,
    message:
      'The namespace has reached its device limit of {limit}. Remove devices that are not in use, or have an administrator of the server raise the limit.',
  },
  NOT_FOUND: { status: 404, message: '{what} was not found.' },
  AGENT_UNAVAILABLE: { status: 404, message: 'There is no agent for linux-{arch} here: {reason}.' },
  AGENT_UPDATES_UNAVAILABLE: { status: 404, message: 'This server has no updates of agents: {reason}.' },
  ROUTE_NOT_FOUND: { status: 404, message: 'There is no {method} {path}.' },
  EDITION: { status: 404, message: 'This call exists in the {edition} edition only.' },
  TAG_LIMIT: { status: 406, message: 'At most {limit} tags are allowed.' },
  CONFLICT: { status: 409, message: '{field} is taken.' },
  ROLLOUT_REFUSED: { status: 409, message: 'The rollout cannot be changed: {reason}.' },
  ACCESS_REQUEST_STATE: { status: 409, message: 'The access request cannot be changed any more: it is {state}.' },
  SESSION_NOT_JOINABLE: { status: 409, message: 'The session cannot be joined: {reason}.' },
  EXPORT_RUNNING: { status: 409, message: 'An export of this is under way; wait until it has ended.' },
  SEVERAL_REGISTRATIONS: {
    status: 409,
    message: 'Several people wait for the username {username}; name the address too: {addresses}.',
  },
  LAST_ADMINISTRATOR: { status: 409, message: 'This server needs at least one administrator who is not disabled.' },
  OWN_ACCOUNT: { status: 409, message: 'Another administrator of this server must do this to your account.' },
  ACCOUNT_UNFINISHED: { status: 409, message: 'The account is not confirmed yet; nobody can sign in to it.' },
  PASSKEY_KNOWN: { status: 409, message: 'This passkey is registered already.' },
  TOO_FEW_WAYS_IN: {
    status: 409,
    message:
      'An account without a password needs two other ways to sign in, and this would leave {left}: add a passkey, or set a password first.',
  },
  ONLY_WAY_IN: {
    status: 409,
    message:
      'This is the only way to sign in to this account: add a passkey first, or ask the operator of this server for a password.',
  },
  PASSWORD_EXISTS: { status: 409, message: 'The account has a password; change it with the current one.' },
  DEVICE_REPLACES_ONE: {
    status: 403,
    message: 'Would replace an accepted device with its MAC address: accept it by itself and compare the keys.',
  },
  DEVICE_REPLACES: {
    status: 403,
    message:
      'Accepting this device would replace {name}, which has its MAC address; the role {role} may not remove devices.',
  },
  DEVICE_NAME_TAKEN: { status: 409, message: 'Another accepted device of the namespace is named {name}.' },
  HOST_KEY_NOT_PRESENTED: {
    status: 409,
    message: 'The device does not present this host key now; look at the one that it presents, and accept that.',
  },
  PUBLIC_NAME_TAKEN: {
    status: 409,
    message: 'Another device has the public name that this one would get; rename this one first.',
  },
  RULES_CHANGED: { status: 409, message: 'The rules have changed since they were loaded; reload them and try again.' },
  ADDRESS_UNPROVEN: {
    status: 409,
    message:
      'The account with this address has set it without a proof; the operator of the server can confirm it: bowline user confirm.',
  },
  ALREADY_MEMBER: { status: 409, message: 'The user is a member already.' },
  BODY_TOO_LARGE: { status: 413, message: 'The request body is larger than {limit} bytes.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'The request body must be JSON.' },
  HOST_REFUSED: {
    status: 421,
    message: 'This server does not answer to that host name; BOWLINE_ALLOWED_HOSTS can allow it.',
  },
  PASSKEY_INVALID: {
    status: 422,
    message: 'credential: the passkey was not accepted, or the request for it has expired; try again.',
  },
  UNREADABLE_BODY: { status: 422, message: 'The request body is not readable JSON of the expected shape: {rule}.' },
  INVALID_KEY_DATA: { status: 422, message: 'data: must be base64 of a public key in OpenSSH format.' },
  DEPENDENCY_FAILED: { status: 424, message: 'The payment provider did not answer as expected: {reason}.' },
  IDENTITY_PROVIDER_FAILED: { status: 424, message: 'The identity provider did not answer as expected: {reason}.' },
  ENGINE_FAILED: { status: 424, message: 'The container engine did not answer as expected: {reason}.' },
  LOCKED_OUT: { status: 429, message: 'Too many failed sign-ins; try again later.' },
  TOO_MANY_REQUESTS: { status: 429, message: 'Too many requests; try again in {wait}.' },
  INTERNAL: { status: 500, message: 'Internal Server Error' },
  LOCAL_SIGN_IN_DISABLED: {
    status: 501,
    message: 'This server has switched its own sign-in off: sign in through the identity provider.',
  },
  PASSKEYS_NEED_DOMAIN: {
    status: 501,
    message:
      'Passkeys need a host name: the operator of this server sets BOWLINE_PUBLIC_URL to its https address. Until then they work at {origin} only.',
  },
  SAML_DISABLED: { status: 501, message: 'Sign-in with SAML is not set up on this instance.' },
  DEVICE_UNREACHABLE: { status: 500, message: 'The device could not be reached.' },
  UNAVAILABLE: { status: 503, message: 'The server cannot answer right now: {what}.' },
} as const satisfies Record<string, ErrorSpec>

export type ErrorCode = keyof typeof ERRORS

/** Values for the placeholders of a message; also logged. Never credentials. */
export type ErrorDetails = Readonly<Record<string, string | number>>

/** An expected failure of a call. Anything else that is thrown is a bug and reaches clients as INTERNAL. */
export class BowlineError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails
  /** Names of the invalid input fields, in the order they were found; [] when no field is invalid. */
  readonly fields: readonly string[]

  constructor(code: ErrorCode, details: ErrorDetails = {}, fields: readonly string[] = [], options?: ErrorOptions) {
    super(fillMessage(ERRORS[code].message, details), options)
    this.name = 'BowlineError'
    this.code = code
    this.details = details
    this.fields = fields
  }

  /** HTTP status from the catalogue. */
  get status(): number {
    return ERRORS[this.code].status
  }
}

/**
 * Throws an error of the catalogue.
 * @param details values for the placeholders of its message
 * @param fields names of the invalid input fields
 */
export function fail(code: ErrorCode, details?: ErrorDetails, fields?: readonly string[]): never {
  throw new BowlineError(code, details, fields)
}

function fillMessage(message: string, details: ErrorDetails): string {
  const values: ErrorDetails =
    typeof details.seconds === 'number' ? { wait: waitText(details.seconds), ...details } : details
  return message.replaceAll(/\{(\w+)\}/g, (_, word: string) => String(values[word] ?? word))
}

/** A waiting time, rounded up to a unit in which it is a small number. */
function waitText(seconds: number): string {
  if (seconds <= 120) return `${seconds} s`
  return seconds < 7_200 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3_600)} h`
}
