// Texts of agent updates that the server sends.

/** Why a rollout waits or was halted, and why agents are not updated; agents of earlier versions send some of them. */
export const UPDATE_REASONS = [
  'the server has no signed release any more: {why}',
  'the server has release {release} now',
  'no device with the tag {tag} can be updated',
  'it failed on the only device',
  'it failed on {failed} of the {tried} devices that tried it',
  'a server of an older version is running, at which sessions would end with the update',
  'the server would end the sessions of this device now',
  'updates are switched off',
  'another rollout is in progress',
  'it has just changed',
  'BOWLINE_UPDATE_KEY is not set: the agent trusts no key that signs updates',
  'no key for updates is set (BOWLINE_UPDATE_KEY)',
  'it does not run as the installed service',
  'it is of the package {name}, which {manager} upgrades',
  'it did not reach the server within three minutes',
  'it ended before it reached the server',
  'the machine or the service was stopped while it was on trial',
  'the new version does not start here: {why}',
  'the disk is full',
  'less than {size} MB are free',
  'the manifest is refused: {why}',
] as const
