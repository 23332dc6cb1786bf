/** What is asked of Redis about calls, each in one round trip (docs/format/queue.md). Times are those of Redis itself. */

const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/** [QLIM-6] How long this Redis has been counting. */
const SINCE = `
redis.call('SET', KEYS[1], now, 'NX')
redis.call('PEXPIRE', KEYS[1], ARGV[1])
local since = tonumber(redis.call('GET', KEYS[1]))
`;

/**
 * [QLIM-3] What a writer says of itself never takes back what is known of it. The sum is in the same hash and changes with it, in the
 * same script: nobody ever sees one without the other, and both go together.
 */
const TELL = `
local function tell(writer, usd)
  local known = tonumber(redis.call('HGET', KEYS[2], writer))
  if not known or tonumber(usd) > known then
    redis.call('HSET', KEYS[2], writer, usd)
    if redis.call('HEXISTS', KEYS[2], 'sum') == 1 then
      redis.call('HINCRBYFLOAT', KEYS[2], 'sum', string.format('%.17g', tonumber(usd) - (known or 0)))
    end
  end
  redis.call('PEXPIRE', KEYS[2], ARGV[1])
end
`;

/** [QLIM-4] What all writers spent. It is counted once: a run of isolated samples has as many writers as samples, and each call asks. */
const SUM = `
local function total()
  local known = tonumber(redis.call('HGET', KEYS[2], 'sum'))
  if known then return known end
  local sum = 0
  local spent = redis.call('HGETALL', KEYS[2])
  for at = 1, #spent, 2 do
    if spent[at] ~= 'ready' then sum = sum + tonumber(spent[at + 1]) end
  end
  redis.call('HSET', KEYS[2], 'sum', string.format('%.17g', sum))
  return sum
end
`;

/**
 * KEYS: since, spent, rebuilding, passes, begun.
 * ARGV: 1 how long keys are kept, 2 the pass, 3 the writer, 4 what it spent, 5 the budget, 6 concurrency, 7 calls a minute,
 * 8 how long a pass lasts, 9 how long a new Redis listens first, 10 how long whoever rebuilds has for it. A limit that there is not is ''.
 */
export const ENTER = `${NOW}${SINCE}${TELL}${SUM}
local budget = tonumber(ARGV[5])
local sum = 0
if budget then
  tell('w:' .. ARGV[3], ARGV[4])
  if redis.call('HEXISTS', KEYS[2], 'ready') == 0 then
    if redis.call('SET', KEYS[3], ARGV[2], 'NX', 'PX', ARGV[10]) then return {'rebuild', '0', since, 0} end
    return {'wait', '0', since, 250}
  end
  sum = total()
end
local text = string.format('%.17g', sum)
if now >= since and now < since + tonumber(ARGV[9]) then return {'wait', text, since, since + tonumber(ARGV[9]) - now} end
if budget and sum >= budget * (1 - 1e-9) then return {'spent', text, since, 0} end
local concurrency = tonumber(ARGV[6])
if concurrency and not redis.call('ZSCORE', KEYS[4], ARGV[2]) then
  redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', now)
  if redis.call('ZCARD', KEYS[4]) >= concurrency then return {'wait', text, since, 100} end
end
local perMinute = tonumber(ARGV[7])
if perMinute and not redis.call('ZSCORE', KEYS[5], ARGV[2]) then
  redis.call('ZREMRANGEBYSCORE', KEYS[5], '-inf', now - 60000)
  if redis.call('ZCARD', KEYS[5]) >= perMinute then
    local oldest = redis.call('ZRANGE', KEYS[5], 0, 0, 'WITHSCORES')
    return {'wait', text, since, math.min(1000, math.max(1, oldest[2] + 60001 - now))}
  end
  redis.call('ZADD', KEYS[5], now, ARGV[2])
  redis.call('PEXPIRE', KEYS[5], 61000)
end
if concurrency then
  redis.call('ZADD', KEYS[4], now + ARGV[8], ARGV[2])
  redis.call('PEXPIRE', KEYS[4], ARGV[8])
end
return {'in', text, since, 0}
`;

/** KEYS: passes, spent. ARGV: 1 how long keys are kept, 2 the pass, 3 the writer, 4 what it spent; '' where no budget counts it. */
export const LEAVE = `${TELL}
redis.call('ZREM', KEYS[1], ARGV[2])
if ARGV[4] ~= '' then tell('w:' .. ARGV[3], ARGV[4]) end
`;

/** KEYS: since, spent. ARGV: 1 how long keys are kept, 2 the writer, 3 what it spent. */
export const SPENT = `${NOW}${SINCE}${TELL}
tell('w:' .. ARGV[2], ARGV[3])
return since
`;

/** KEYS: since, passes, begun. ARGV: 1 how long keys are kept, 2 how long a pass lasts, 3 how many are out, they, and pairs of a pass and how long ago it was given. */
export const RENEW = `${NOW}${SINCE}
local out = tonumber(ARGV[3])
for at = 4, 3 + out do redis.call('ZADD', KEYS[2], now + ARGV[2], ARGV[at]) end
if out > 0 then redis.call('PEXPIRE', KEYS[2], ARGV[2]) end
for at = 4 + out, #ARGV, 2 do
  redis.call('ZADD', KEYS[3], 'NX', now - ARGV[at + 1], ARGV[at])
  redis.call('PEXPIRE', KEYS[3], 61000)
end
return since
`;

/** Whoever asks next counts the sum anew. KEYS: rebuilding, spent. ARGV: 1 how long keys are kept, and pairs of a field and US dollars. */
export const REBUILT = `${TELL}
redis.call('HDEL', KEYS[2], 'sum')
for at = 2, #ARGV, 2 do tell(ARGV[at], ARGV[at + 1]) end
redis.call('HSET', KEYS[2], 'ready', 1)
redis.call('PEXPIRE', KEYS[2], ARGV[1])
redis.call('DEL', KEYS[1])
`;
