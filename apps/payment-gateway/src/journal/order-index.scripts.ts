import { orderKey } from '@tranche/contracts';
import { isEmptyOrder, isInDoubt, isOpen, timersOf, type OrderState } from '@tranche/order-journal';

/**
 * Lua of the Redis index. Keys of one journal partition share a hash tag, so that one script may write them all:
 *
 * marker `OFFSET GENERATION HASH` · rebuild: token of the rebuild under way · open, doubt: sets of order keys · timers: sorted set, order key →
 * when its next timer is due, milliseconds · order:KEY → state · html:LENGTH:KEY:COMMAND → REDIRECTHTML
 */

/** KEYS from 3: open, doubt, timers, order… · ARGV from 4, per order: state or '', order key, `OPEN DOUBT` as 0 and 1, due time or ''. */
const PUT = `
local states, gone, open, closed, doubtful, certain, due, idle = {}, {}, {}, {}, {}, {}, {}, {}
for i = 6, #KEYS do
  local arg = 4 + (i - 6) * 4
  local state, key, phases, time = ARGV[arg], ARGV[arg + 1], ARGV[arg + 2], ARGV[arg + 3]
  if state == '' then gone[#gone + 1] = KEYS[i] else states[#states + 1] = KEYS[i] states[#states + 1] = state end
  if string.byte(phases, 1) == 49 then open[#open + 1] = key else closed[#closed + 1] = key end
  if string.byte(phases, 2) == 49 then doubtful[#doubtful + 1] = key else certain[#certain + 1] = key end
  if time == '' then idle[#idle + 1] = key else due[#due + 1] = time due[#due + 1] = key end
end
local function all(list, act)
  for first = 1, #list, 1000 do act(first, math.min(first + 999, #list)) end
end
local function inSet(command, key, list)
  all(list, function(first, last) redis.call(command, key, unpack(list, first, last)) end)
end
all(states, function(first, last) redis.call('MSET', unpack(states, first, last)) end)
all(gone, function(first, last) redis.call('UNLINK', unpack(gone, first, last)) end)
inSet('SADD', KEYS[3], open) inSet('SREM', KEYS[3], closed)
inSet('SADD', KEYS[4], doubtful) inSet('SREM', KEYS[4], certain)
inSet('ZADD', KEYS[5], due) inSet('ZREM', KEYS[5], idle)`;

/** The projector's write. KEYS: marker, rebuild, … · ARGV: expected marker, new marker, unused, … */
export const PROJECT = `
local stored = redis.call('GET', KEYS[1])
if stored ~= ARGV[1] then return stored or 'nothing' end
${PUT}
redis.call('SET', KEYS[1], ARGV[2])
return 'ok'`;

/**
 * A rebuild's write. KEYS: marker, rebuild, … · ARGV: token, lease in milliseconds, next token, …
 * Each write has its own token: a Redis that came back without the last writes is found out by the next one.
 */
export const REBUILD = `
if redis.call('GET', KEYS[2]) ~= ARGV[1] or redis.call('EXISTS', KEYS[1]) == 1 then return 'lost' end
redis.call('SET', KEYS[2], ARGV[3], 'PX', ARGV[2])
${PUT}
return 'ok'`;

/** KEYS: marker, rebuild · ARGV: offset of the marker that was seen or '', process, token, lease in milliseconds. */
export const BEGIN_REBUILD = `
local marker = redis.call('GET', KEYS[1]) or ''
if (string.match(marker, '^%S+') or '') ~= ARGV[1] then return 'moved' end
local other = redis.call('GET', KEYS[2])
if other and string.sub(other, 1, #ARGV[2]) ~= ARGV[2] then return 'busy' end
redis.call('DEL', KEYS[1])
redis.call('SET', KEYS[2], ARGV[3], 'PX', ARGV[4])
return 'ok'`;

/** KEYS: rebuild, leftover… · ARGV: token. */
export const WIPE = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 'lost' end
redis.call('UNLINK', unpack(KEYS, 2))
return 'ok'`;

/** KEYS: marker, rebuild · ARGV: token, new marker. */
export const FINISH_REBUILD = `
if redis.call('GET', KEYS[2]) ~= ARGV[1] or redis.call('EXISTS', KEYS[1]) == 1 then return 'lost' end
redis.call('SET', KEYS[1], ARGV[2])
redis.call('DEL', KEYS[2])
return 'ok'`;

/** KEYS: marker, timers · ARGV: now, put off until, limit. */
export const CLAIM_DUE = `
if redis.call('EXISTS', KEYS[1]) == 0 then return {} end
local due = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', ARGV[1], 'LIMIT', 0, ARGV[3])
for _, key in ipairs(due) do redis.call('ZADD', KEYS[2], ARGV[2], key) end
return due`;

/** The four arguments of one order. */
export function argumentsOf(order: OrderState): [state: string, key: string, phases: string, due: string] {
  const key = orderKey(order.merchant, order.orderId);
  if (isEmptyOrder(order)) return ['', key, '00', ''];
  const { operations } = order;
  const phases = `${operations.some(isOpen) ? 1 : 0}${operations.some(isInDoubt) ? 1 : 0}`;
  return [JSON.stringify(order), key, phases, timersOf(order)[0]?.atMs.toString() ?? ''];
}
