// Every numeric limit of the product, by name. Lengths are in characters; times name their unit.

export const LIMITS = {
  name: { min: 3, max: 20 },
  username: { min: 3, max: 30 },
  password: { min: 5, max: 30 },
  apiKeyName: { min: 3, max: 20 },
  installKeyName: { min: 3, max: 40 },
  namespaceName: { min: 3, max: 30 },
  deviceName: { min: 1, max: 64 },
  deviceNote: 2_000,
  /** Custom fields of a device, and characters of their names and values. */
  deviceFields: { count: 20, name: 40, value: 500 },
  /** Values of a property that a list can be narrowed by. */
  facetValues: 200,
  /** Rows of one export; a list with more has to be narrowed. */
  exportedDevices: 200_000,
  exportedSessions: 200_000,
  /** How long an acceptance can be undone. */
  acceptanceUndoMinutes: 15,
  /** Changes of many devices: devices of one, those under way in a namespace, days that a report is kept, reports listed. */
  deviceJobs: { devices: 200_000, running: 5, keptDays: 7, listed: 20 },
  /**
   * Presence: days that are kept; devices which leave the same place within `incidentGapSeconds` of another form one
   * incident. A device that is back within `reconnectSeconds` has not been away. Incidents of one namespace are read one
   * at a time on a node.
   */
  presence: {
    days: 30,
    incidentGapSeconds: 30,
    reconnectSeconds: 10,
    turns: { own: { atOnce: 1, waiting: 50 }, all: { atOnce: 2, waiting: 500 } },
  },
  /**
   * Health of devices: each is polled every `intervalSeconds`, and written every `writtenSeconds` or when a value has changed by
   * `changedPercent`; points of 5 minutes are kept for a day, those of an hour for `days`. `memory` and `disk` (percent), `load`
   * (per processor) and `latencyMs` are the thresholds of trouble, as are `rebootedHours` after a restart. A report older than
   * `freshSeconds` counts for the disk only.
   */
  health: {
    intervalSeconds: 300,
    writtenSeconds: 900,
    changedPercent: 5,
    days: 30,
    memory: 90,
    disk: 90,
    load: 2,
    latencyMs: 500,
    rebootedHours: 24,
    freshSeconds: 2_400,
  },
  /**
   * Alert rules of a namespace. A rule makes a message at most every `intervalSeconds`, and `perHour`; what happens in
   * between is in the next one. A message to an address is tried `attempts` times; after `failingHours` without a success
   * the rule is switched off. Messages are listed for `keptDays`, up to `kept` of each rule.
   */
  alerts: {
    rules: 20,
    name: 60,
    url: 2_000,
    minutes: 10_080,
    devices: 100_000,
    threshold: { min: 0.1, max: 100 },
    latencyMs: 30_000,
    recipients: 20,
    intervalSeconds: 60,
    perHour: 20,
    named: 20,
    attempts: 8,
    failingHours: 24,
    keptDays: 14,
    kept: 100,
  },
  /**
   * Streams of a namespace's audit log; nouns that choose entries; entries that are counted behind a stream. The name, the
   * address and the time after which a failing one is paused are those of alert rules.
   */
  auditStreams: { perNamespace: 5, authorization: 2_000, nouns: 40, behind: 10_000 },
  /** Saved views of one person, or of a namespace; favorites of one person; characters of a view's query as JSON. */
  views: { name: 60, perOwner: 50, favorites: 500, queryLength: 4_000 },
  /** Roles of a namespace beside the four, and of one member; characters of a name. */
  roles: { perNamespace: 50, perMember: 10, name: 60 },
  /** Rules of a namespace; characters of a search; devices that a preview names. */
  tagRules: { perNamespace: 30, query: 200, shownNames: 4 },
  /** Snippets of a namespace; characters of a name and of a text. */
  snippets: { perNamespace: 100, name: 80, text: 4_000 },
  /** Devices of one call that takes them over from another server. */
  importedDevices: 100,
  tag: { min: 3, max: 255 },
  tagsPerItem: 3,
  announcementTitle: 90,
  announcementContent: 20_000,
  connectionAnnouncement: 4096,
  perPage: { default: 10, max: 100 },
  /** Cloud's free device limit; −1 elsewhere. */
  maxDevices: 3,
  deviceChoice: 3,
  apiKeyLifetimesDays: [-1, 30, 60, 90, 365],
  installKeysPerNamespace: 100,
  /** Devices that one install key may register, where it has a limit. */
  installKeyUses: 100_000,
  /**
   * Rollouts of agents: devices of a namespace that fetch at once, minutes that one may take for it, for which it must have
   * been well to count, and after which a silent one does not count, and the shares at which a stage is over or a rollout is
   * halted. Also for how long an announced handover of a device's link may happen, and for how long the former link then
   * goes on with what runs on it.
   */
  agentUpdates: {
    atOnce: 50,
    fetchMinutes: 20,
    healthyMinutes: 10,
    silentMinutes: 30,
    healthyPercent: 90,
    failedPercent: 10,
    handoverMinutes: 15,
    handedOverHours: 24,
  },
  /** Days for which the owner of a deleted namespace can restore it. */
  restoreDays: 7,
  /**
   * Archives of namespaces and of accounts: life of a link, archives of each kind that one process writes at once, and how
   * long one of a namespace and one of an account may take. A reader that takes longer keeps the others out; the command
   * line has no such limit.
   */
  exports: { linkMinutes: 5, perProcess: 2, hours: 6, accountMinutes: 30 },
  inviteDays: 7,
  /** Links of one invitation before it expires. */
  inviteSends: 6,
  /** Life of the link that confirms an address. */
  confirmationHours: 24,
  /** Life of the link that sets a new password. */
  recoveryHours: 1,
  registrationsPerSourceAndHour: 30,
  /** Addresses without an account that a member may try to add. */
  unknownAddressesPerHour: 30,
  /** Registrations and mails that a /24 or /48 may cause, each whatever its sources. */
  mailRequestsPerNetworkAndHour: 100,
  /** Mails that a source may ask for by the same address or username. */
  mailRequestsPerNameAndHour: 5,
  passkeyName: { min: 1, max: 64 },
  passkeysPerPerson: 25,
  /** Life of a challenge that a passkey signs. */
  passkeyChallengeMinutes: 5,
  /** Life of the token of a sign-in that waits for its second factor. */
  pendingSignInMinutes: 30,
  /** Sign-in of programs by a code that a person approves in a browser (RFC 8628). */
  programCode: { minutes: 10, pollSeconds: 5, perSource: 20, perNetwork: 200, total: 5_000, guessesPerHour: 30 },
  /** Codes by which members add devices; guesses at them by a person, and from a network. */
  pairingCode: {
    minutes: 15,
    pollSeconds: 5,
    perSource: 40,
    perNetwork: 200,
    total: 5_000,
    guessesPerHour: 30,
    guessesPerNetworkAndHour: 100,
  },
  /**
   * SSH logins that wait for an approval, in a namespace by source network, by person and all; and connections that wait,
   * in a namespace of one source and all, and of one process. After a denial the same credential waits `deniedMinutes` for another try.
   */
  heldLogin: {
    seconds: 120,
    deniedMinutes: 5,
    perSource: 20,
    /** A key waits from so many networks; one that is stolen leaves room for the others of its owner. */
    perCredential: 5,
    perPerson: 10,
    perNamespace: 200,
    /** Over all namespaces: beyond it, the oldest of the namespace with the most make room. */
    total: 5_000,
    connections: { perSource: 100, perNamespace: 500, perProcess: 2_000 },
    guessesPerHour: 30,
  },
  /**
   * Joining a running terminal: seconds for which its person is asked, people who are in it beside the owner, and who wait
   * for an answer; requests to one session by one person and by all, and of one person to all sessions, per minute. Whoever
   * is denied cannot ask the same session again for `deniedMinutes`.
   */
  joining: { seconds: 60, guests: 4, asking: 4, perPerson: 3, perSession: 12, ofPerson: 10, deniedMinutes: 5 },
  /**
   * Access requests: minutes of access, by default at most `hours`, which a namespace sets; pending and daily requests of one
   * person, pending ones of a namespace; hours for which one waits; characters of a reason and of an account; accounts; days
   * for which past ones are kept.
   */
  accessRequests: {
    minutes: { min: 15, max: 10_080 },
    hours: { min: 1, max: 168, default: 8 },
    perPerson: 3,
    perDay: 20,
    /** Of these, so many are mailed. */
    mailedPerDay: 5,
    perNamespace: 200,
    pendingHours: 24,
    reason: 500,
    account: 64,
    accounts: 8,
    keptDays: 400,
  },
  /** Hours for which a second factor on the ssh path is not asked again. */
  sshFactorHours: { min: 1, max: 168, default: 12 },
  /** Life of the one-use token that single sign-on puts into an address. */
  exchangeTokenSeconds: 60,
  /** Sign-ins by a provider that one person has begun and not finished: a further one ends the oldest. */
  unfinishedProviderSignIns: 10,
  /** Time that people have at an identity provider. */
  providerRequestMinutes: 10,
  /** Sign-ins under way at a provider: a whole office may have one address. */
  providerRequests: { perSource: 1_000, perNetwork: 3_000, total: 20_000 },
  /** Time to prove that an existing account is one's own. */
  identityProposalMinutes: 15,
  /** Life of the mailed link that proves it. */
  identityProofMinutes: 60,
  /** A second factor used this recently counts as proof for sensitive changes. */
  freshProofMinutes: 10,
  authenticators: 10,
  authenticatorName: { min: 1, max: 40 },
  recoveryCodes: 6,
  /** Life of a generated secret that has not been enabled. */
  issuedSecretMinutes: 60,
  /** A recovery code that has signed in still switches the second factor off for this long. */
  recoveryCodeGraceMinutes: 10,
  factorResetHours: 24,
  /** Codes of a reset are not mailed again before this long. */
  factorResetIntervalMinutes: 10,
  removedDeviceHours: 720,
  connectorsPerNamespace: 10,
  /** Running containers of one connector that become devices. */
  containersPerConnector: 1_000,
  nodes: {
    /** Age of a node's heartbeat at which the node, and with it every link that it holds, counts as lost. */
    deadSeconds: 15,
  },
  /** Age of a link whose holder has no lease at which its device is offline although nothing reported its end. */
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
  /**
   * Per namespace. A pattern's size is roughly its number of characters times its repeats; a network or a person in a rule
   * counts as `networkSize` or `personSize` of it.
   */
  policy: {
    rules: 1_000,
    keys: 5_000,
    patternSize: 1_100,
    patternSizeOfRules: 30_000,
    networksPerRule: 32,
    networkSize: 10,
    peoplePerRule: 100,
    personSize: 5,
  },
  /**
   * Dry run of firewall rules: days and sessions considered, examples of each effect, names under which the caller may reach
   * each device, and the sum of the sizes of all rules that are evaluated, for sessions and for devices each. A namespace does
   * one at a time on a node.
   */
  dryRun: {
    days: 7,
    sessions: 10_000,
    examples: 100,
    users: 4,
    work: 10_000_000,
    waiting: 3,
    namespaces: 2,
    waitingOfAll: 50,
  },
  /** An exchanged refresh cookie still yields its successor for this long: responses can get lost. */
  refreshGraceSeconds: 30,
  /** Failed sign-ins per name over all sources within an hour; then only known sources may try. */
  failuresPerHour: 20,
  /** A source stays known for this long after the user was last signed in from it. */
  knownSourceDays: 90,
  /** Life of the cookie by which a browser is recognised, and of what is remembered about it. */
  deviceCookieDays: 365,
  /** Responses per hour that disclose that a username or address is taken. */
  accountConflictsPerHour: 5,
  usernameChangesPerHour: 10,
  accountEventDays: 365,
  /** Failed device logins that a namespace stores individually per hour; more are only counted. */
  failedLoginsPerHour: 1_000,
  /** Provisioning by SCIM, per namespace. */
  /** Roles that the groups of one sign-in provider give. */
  groupRoles: 200,
  scim: {
    tokens: 10,
    people: 10_000,
    groups: 1_000,
    roles: 100,
    /** Resources of one page. */
    page: 200,
    /** Requests shown to administrators. */
    requests: 20,
    tokenName: { min: 3, max: 40 },
    /** Life of an invitation by the identity provider, which does not repeat itself. */
    inviteDays: 365,
  },
  tunnels: {
    perDevice: 10,
    /** Requests under way, WebSockets and TCP connections included. */
    open: { perTunnel: 512, perSource: 256, perNamespace: 2_048, total: 4_096 },
    /** Connections to the service of one tunnel that wait for the next request of their visitor. */
    idleConnections: 256,
    /** TCP connections that have not shown yet which tunnel they want. */
    unidentified: { perSource: 32, total: 1_024 },
    /** Requests of the log that are kept, in memory. */
    logged: 200,
    /** A visit by a door needs no new proof for this long. */
    visitHours: 12,
    visitLinkSeconds: 60,
  },
} as const
