// Scripts that Redis runs as one step each. A bucket of tokens is one number: the time, in ms by the clock of Redis, at
// which it is full again. The key lives until then.

const NOW = `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local full = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), now)
local token = tonumber(ARGV[1])
`

/** Arguments: ms in which a token comes back, tokens of a full bucket. Answers 1 if there was a token. */
export const TAKE_TOKEN = `${NOW}local next = full + token
if next > now + token * ARGV[2] then return 0 end
redis.call('SET', KEYS[1], next, 'PX', math.ceil(next - now))
return 1`

/** Arguments: ms in which a token comes back. */
export const REFUND_TOKEN = `${NOW}local before = full - token
if before <= now then redis.call('DEL', KEYS[1]) else redis.call('SET', KEYS[1], before, 'PX', math.ceil(before - now)) end
return 1`

/** Arguments: ms in which a token comes back, tokens of a full bucket. Answers 1 if a token is left. */
export const HAS_TOKEN = `${NOW}if full + token > now + token * ARGV[2] then return 0 end
return 1`
