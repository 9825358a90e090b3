// Every number of the spec (section 9) and of the contract, by name. Lengths are characters, times say their unit.

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
  agentPingSeconds: 30,
  /** A device is offline when nothing was heard of it for this long. */
  onlineWindowSeconds: 120,
  userTokenHours: 72,
  accessTokenMinutes: 10,
  refreshDays: 30,
  /** What is kept of a namespace's events for listeners that come back. */
  eventBuffer: { count: 1000, minutes: 5, bytes: 1_048_576 },
  /** Live streams at once, and bytes that wait for listeners that do not read. */
  eventStreams: {
    perPerson: 20,
    perNamespace: 1_000,
    perSource: 200,
    perProcess: 5_000,
    queuedBytes: 262_144,
    queuedBytesOfAll: 67_108_864,
    missedBytes: 131_072,
  },
  /** Of one namespace. A pattern's size is about its number of characters, times its repeats. */
  policy: { rules: 1_000, keys: 5_000, patternSize: 1_100, patternSizeOfRules: 30_000 },
  /** A refresh cookie that has been exchanged still leads to its successor for this long: answers get lost. */
  refreshGraceSeconds: 30,
  /** Failed sign-ins of one name over all sources within an hour; then only sources that are known may try. */
  failuresPerHour: 20,
  /** A source is known for this long after the person was last signed in from it. */
  knownSourceDays: 90,
  /** Answers an hour that a username or address is taken. */
  accountConflictsPerHour: 5,
  accountEventDays: 365,
  /** Failed logins on devices that a namespace keeps one by one of an hour; more are counted. */
  failedLoginsPerHour: 1_000,
} as const
