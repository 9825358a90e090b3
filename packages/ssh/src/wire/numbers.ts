// Message numbers and reason codes: RFC 4250 section 4, RFC 8308, RFC 4256 and OpenSSH's PROTOCOL.

export const MSG_DISCONNECT = 1
export const MSG_IGNORE = 2
export const MSG_UNIMPLEMENTED = 3
export const MSG_DEBUG = 4
export const MSG_SERVICE_REQUEST = 5
export const MSG_SERVICE_ACCEPT = 6
export const MSG_EXT_INFO = 7
export const MSG_KEXINIT = 20
export const MSG_NEWKEYS = 21
/** Also KEX_HYBRID_INIT: all our methods start with one string from the client. */
export const MSG_KEX_ECDH_INIT = 30
export const MSG_KEX_ECDH_REPLY = 31

export const MSG_USERAUTH_REQUEST = 50
export const MSG_USERAUTH_FAILURE = 51
export const MSG_USERAUTH_SUCCESS = 52
export const MSG_USERAUTH_BANNER = 53
/** 60 and 61 depend on the method: RFC 4252 sections 7 and 8, RFC 4256 section 3. */
export const MSG_USERAUTH_PK_OK = 60
export const MSG_USERAUTH_PASSWD_CHANGEREQ = 60
export const MSG_USERAUTH_INFO_REQUEST = 60
export const MSG_USERAUTH_INFO_RESPONSE = 61

export const MSG_GLOBAL_REQUEST = 80
export const MSG_REQUEST_SUCCESS = 81
export const MSG_REQUEST_FAILURE = 82
export const MSG_CHANNEL_OPEN = 90
export const MSG_CHANNEL_OPEN_CONFIRMATION = 91
export const MSG_CHANNEL_OPEN_FAILURE = 92
export const MSG_CHANNEL_WINDOW_ADJUST = 93
export const MSG_CHANNEL_DATA = 94
export const MSG_CHANNEL_EXTENDED_DATA = 95
export const MSG_CHANNEL_EOF = 96
export const MSG_CHANNEL_CLOSE = 97
export const MSG_CHANNEL_REQUEST = 98
export const MSG_CHANNEL_SUCCESS = 99
export const MSG_CHANNEL_FAILURE = 100

/** OpenSSH's transport-level ping (PROTOCOL section 1.9). */
export const MSG_PING = 192
export const MSG_PONG = 193

/** Disconnect reason codes, RFC 4250 section 4.2.2. */
export const DISCONNECT_PROTOCOL_ERROR = 2
export const DISCONNECT_KEY_EXCHANGE_FAILED = 3
export const DISCONNECT_MAC_ERROR = 5
export const DISCONNECT_SERVICE_NOT_AVAILABLE = 7
export const DISCONNECT_HOST_KEY_NOT_VERIFIABLE = 9
export const DISCONNECT_CONNECTION_LOST = 10
export const DISCONNECT_BY_APPLICATION = 11
export const DISCONNECT_TOO_MANY_CONNECTIONS = 12
export const DISCONNECT_NO_MORE_AUTH_METHODS = 14
