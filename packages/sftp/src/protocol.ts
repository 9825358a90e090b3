// Constants of SFTP version 3 (draft-ietf-secsh-filexfer-02) and of OpenSSH's extensions to it.

export const SFTP_VERSION = 3

/** Section 3: types of packets. */
export const PACKET = {
  init: 1,
  version: 2,
  open: 3,
  close: 4,
  read: 5,
  write: 6,
  lstat: 7,
  fstat: 8,
  setstat: 9,
  fsetstat: 10,
  opendir: 11,
  readdir: 12,
  remove: 13,
  mkdir: 14,
  rmdir: 15,
  realpath: 16,
  stat: 17,
  rename: 18,
  readlink: 19,
  symlink: 20,
  status: 101,
  handle: 102,
  data: 103,
  name: 104,
  attrs: 105,
  extended: 200,
  extendedReply: 201,
} as const

/** Section 6.3: `flags` of open. */
export const OPEN = { read: 0x01, write: 0x02, append: 0x04, create: 0x08, truncate: 0x10, exclusive: 0x20 } as const

/** Section 5: flags of the attributes that are present. */
export const ATTRIBUTE = {
  size: 0x01,
  owner: 0x02,
  permissions: 0x04,
  times: 0x08,
  extended: 0x8000_0000,
} as const

/** Section 7: codes of a status. */
export const STATUS = {
  ok: 0,
  eof: 1,
  noSuchFile: 2,
  permissionDenied: 3,
  failure: 4,
  badMessage: 5,
  noConnection: 6,
  connectionLost: 7,
  unsupported: 8,
} as const
export type StatusCode = (typeof STATUS)[keyof typeof STATUS]

/** Extensions, with the version that a server announces (OpenSSH's PROTOCOL file, section 4). */
export const EXTENSIONS = [
  ['posix-rename@openssh.com', '1'],
  ['statvfs@openssh.com', '2'],
  ['fstatvfs@openssh.com', '2'],
  ['hardlink@openssh.com', '1'],
  ['fsync@openssh.com', '1'],
  ['lsetstat@openssh.com', '1'],
  ['limits@openssh.com', '1'],
  ['expand-path@openssh.com', '1'],
  ['copy-data', '1'],
  ['home-directory', '1'],
  ['users-groups-by-id@openssh.com', '1'],
] as const

/** Larger packets are never needed: the same limit as OpenSSH's, excluding the length field. */
export const MAX_PACKET_BYTES = 256 * 1024
/** Maximum data of one read or write: leaves room for the handle and the rest of the packet. */
export const MAX_DATA_BYTES = MAX_PACKET_BYTES - 1024
