// Every numeric limit of the product, by name. Lengths are in characters; times name their unit.

export const LIMITS = {
  name: { min: 3, max: 20 },
  username: { min: 3, max: 30 },
  password: { min: 5, max: 30 },
  apiKeyName: { min: 3, max: 20 },
  namespaceName: { min: 3, max: 30 },
  deviceName: { min: 1, max: 64 },
  tag: { min: 3, max: 255 },
  tagsPerItem: 3,
  announcementTitle: 90,
  connectionAnnouncement: 4096,
  perPage: { default: 10, max: 100 },
  /** Cloud's free device limit; −1 elsewhere. */
  maxDevices: 3,
  deviceChoice: 3,
  apiKeyLifetimesDays: [-1, 30, 60, 90, 365],
  inviteDays: 7,
  removedDeviceHours: 720,
  /** Age of the last heartbeat at which a device is offline although nothing reported the end of its link. */
  onlineWindowSeconds: 120,
  userTokenHours: 72,
  accessTokenMinutes: 10,
  refreshDays: 30,
  /** Events of a namespace buffered for listeners that reconnect. */
  eventBuffer: { count: 1000, minutes: 5, bytes: 1_048_576 },
  /** Concurrent live streams, and bytes buffered for listeners that do not read. */
  eventStreams: {
    perPerson: 20,
    perNamespace: 1_000,
    perSource: 200,
    perProcess: 5_000,
    queuedBytes: 262_144,
    queuedBytesOfAll: 67_108_864,
    missedBytes: 131_072,
  },
  /** Per namespace. A pattern's size is roughly its number of characters times its repeats. */
  policy: { rules: 1_000, keys: 5_000, patternSize: 1_100, patternSizeOfRules: 30_000 },
  /** An exchanged refresh cookie still yields its successor for this long: responses can get lost. */
  refreshGraceSeconds: 30,
  /** Failed sign-ins per name over all sources within an hour; then only known sources may try. */
  failuresPerHour: 20,
  /** A source stays known for this long after the user was last signed in from it. */
  knownSourceDays: 90,
  /** Responses per hour that disclose that a username or address is taken. */
  accountConflictsPerHour: 5,
  accountEventDays: 365,
  /** Failed device logins that a namespace stores individually per hour; more are only counted. */
  failedLoginsPerHour: 1_000,
} as const
