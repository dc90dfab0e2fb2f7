import { orderKey } from '@tranche/contracts';
import {
  conflictsOf,
  INDEX_COUNTS,
  INDEX_SETS,
  isEmptyOrder,
  isInDoubt,
  isOpen,
  isStillWaiting,
  OrderIndexKeys,
  timersOf,
  TRANSACTION_ID_PATTERN,
  transactionIdsOf,
  type IndexSet,
  type OrderState,
} from '@tranche/order-journal';

/**
 * Lua of the Redis index. Keys of one journal partition share a hash tag, so that one script may use them all. KEYS of every script:
 *
 * 1 orders: hash, order key → state, and `marker` → `OFFSET GENERATION HASH COUNTS` · 2 rebuild: `TOKEN COUNTS` of the rebuild under way · 3 open, 4
 * doubt, 6 conflict, 8 frozen, 9 waiting: sets of order keys · 5 timers: sorted set, order key → due time of its next timer, milliseconds · 7 transactions: hash,
 * `merchant/TRANSACTIONID` → orderId. An entry of 7 is a hint: the order's state says if the id is its own.
 *
 * With signing keys (`IndexSigner`) each state ends with its MAC, and the marker has one before COUNTS.
 *
 * COUNTS holds the numbers of entries in 1 and 3 to 9. An index with other numbers has lost entries, and counts as lost (R14). REDIRECTHTML has its
 * own keys, html:LENGTH:KEY:COMMAND: where one is lost, only a republished event lacks its page.
 */
const WHOLE = `${INDEX_COUNTS}
local function whole()
  return marker and string.match(marker, '%S+$') == counts() and marker
end`;

/** Numbers of the sets' keys, in the order of an order's marks. */
const SETS = `{${INDEX_SETS.map((name) => OrderIndexKeys.numberOf(name)).join(', ')}}`;

/**
 * ARGV from `first`, per order: state or '', order key, its marks for `INDEX_SETS` as 0 and 1, due time or '', its TRANSACTIONIDs separated by blanks.
 * The ids of an order that is forgotten are read from the state that it had.
 */
const put = (first: number) => `
local states, gone, due, idle, named, unnamed = {}, {}, {}, {}, {}, {}
local sets, into, outof = ${SETS}, {}, {}
for at = 1, #sets do into[at], outof[at] = {}, {} end
for arg = ${first}, #ARGV, 5 do
  local state, key, marks, time = ARGV[arg], ARGV[arg + 1], ARGV[arg + 2], ARGV[arg + 3]
  local merchant, order = string.match(key, '^([^/]*/)(.*)$')
  for id in string.gmatch(ARGV[arg + 4], '%S+') do named[#named + 1] = merchant .. id named[#named + 1] = order end
  if state == '' then
    for id in string.gmatch(redis.call('HGET', KEYS[1], key) or '', '"transactionId":"([^"]+)"') do
      if redis.call('HGET', KEYS[7], merchant .. id) == order then unnamed[#unnamed + 1] = merchant .. id end
    end
    gone[#gone + 1] = key
  else states[#states + 1] = key states[#states + 1] = state end
  for at = 1, #sets do
    local list = string.byte(marks, at) == 49 and into[at] or outof[at]
    list[#list + 1] = key
  end
  if time == '' then idle[#idle + 1] = key else due[#due + 1] = time due[#due + 1] = key end
end
local function put(change, command, key, list)
  if change < 0 and entries[key] == 0 then return end
  for first = 1, #list, 1000 do
    local changed = redis.call(command, KEYS[key], unpack(list, first, math.min(first + 999, #list)))
    entries[key] = entries[key] + change * changed
  end
end
put(1, 'HSET', 1, states) put(-1, 'HDEL', 1, gone)
for at, set in ipairs(sets) do put(1, 'SADD', set, into[at]) put(-1, 'SREM', set, outof[at]) end
put(1, 'ZADD', 5, due) put(-1, 'ZREM', 5, idle)
put(-1, 'HDEL', 7, unnamed) put(1, 'HSET', 7, named)`;

/** ARGV: order keys. Returns the marker, the counts that were found, and the states. */
export const READ = `${WHOLE}
local found = {marker, counts()}
for first = 1, #ARGV, 1000 do
  local states = redis.call('HMGET', KEYS[1], unpack(ARGV, first, math.min(first + 999, #ARGV)))
  for _, state in ipairs(states) do found[#found + 1] = state end
end
return found`;

/** ARGV: `merchant/TRANSACTIONID`. Returns the marker, the counts that were found, and the orderId of an order that has it. */
export const READ_TRANSACTION = `${WHOLE}
return {marker, counts(), redis.call('HGET', KEYS[7], ARGV[1])}`;

/** ARGV: number of the set's key. Returns the marker, the counts that were found, and the order keys. */
export const READ_SET = `${WHOLE}
return {marker, counts(), redis.call('SMEMBERS', KEYS[tonumber(ARGV[1])])}`;

/** Write of a partition's owner. ARGV: expected marker, new marker without its counts, … Returns 1 and the new marker, or 0 and the other one. */
export const PROJECT = `${WHOLE}
if marker ~= ARGV[1] then return {0, marker or 'nothing'} end
if not whole() then return {0, 'damaged'} end
${put(3)}
local written = ARGV[2] .. ' ' .. counts()
redis.call('HSET', KEYS[1], 'marker', written)
return {1, written}`;

/**
 * Write of a rebuild. ARGV: token, lease in milliseconds, next token, …
 * Each write has its own token, so that the next write detects a Redis that lost the last ones.
 */
export const REBUILD = `${WHOLE}
if redis.call('GET', KEYS[2]) ~= ARGV[1] .. ' ' .. counts() or marker then return 'lost' end
${put(4)}
redis.call('SET', KEYS[2], ARGV[3] .. ' ' .. counts(), 'PX', ARGV[2])
return 'ok'`;

/** Wipes the index and starts a rebuild. ARGV: offset of the marker that was read or '', process, token, lease in milliseconds. */
export const BEGIN_REBUILD = `${WHOLE}
if (whole() and string.match(marker, '^%S+') or '') ~= ARGV[1] then return 'moved' end
local other = redis.call('GET', KEYS[2])
if other and string.sub(other, 1, #ARGV[2]) ~= ARGV[2] then return 'busy' end
redis.call('UNLINK', KEYS[1], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7], KEYS[8], KEYS[9])
marker, entries = nil, nil
redis.call('SET', KEYS[2], ARGV[3] .. ' ' .. counts(), 'PX', ARGV[4])
return 'ok'`;

/** ARGV: token, new marker without its counts. */
export const FINISH_REBUILD = `${WHOLE}
if redis.call('GET', KEYS[2]) ~= ARGV[1] .. ' ' .. counts() or marker then return 'lost' end
redis.call('HSET', KEYS[1], 'marker', ARGV[2] .. ' ' .. counts())
redis.call('DEL', KEYS[2])
return 'ok'`;

/** ARGV: now, limit. Returns nothing where the index is not whole. */
export const READ_DUE = `${WHOLE}
if not whole() then return false end
return redis.call('ZRANGEBYSCORE', KEYS[5], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])`;

/** Deletes an entry that can't be parsed. The index is incomplete then, so its owner rebuilds it. ARGV: field, text that was read. */
export const DROP_CORRUPT = `
if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('HDEL', KEYS[1], ARGV[1]) end`;

/** Builds the five arguments of one order. `sealed`: its state with its signature. */
export function argumentsOf(
  order: OrderState,
  refundableDays: number,
  sealed: (orderKey: string, state: string) => string,
): [state: string, key: string, marks: string, due: string, transactionIds: string] {
  const key = orderKey(order.merchant, order.orderId);
  if (isEmptyOrder(order)) return ['', key, '', '', ''];
  const { operations } = order;
  const isIn: Record<IndexSet, boolean> = {
    open: operations.some(isOpen),
    doubt: operations.some(isInDoubt),
    conflict: conflictsOf(order).length > 0,
    frozen: order.isFrozen === true,
    waiting: operations.some((operation) => isStillWaiting(order, operation)),
  };
  const marks = INDEX_SETS.map((name) => Number(isIn[name])).join('');
  const due = timersOf(order, refundableDays)[0]?.atMs.toString() ?? '';
  const transactionIds = transactionIdsOf(order).filter((id) => TRANSACTION_ID_PATTERN.test(id));
  return [sealed(key, JSON.stringify(order)), key, marks, due, transactionIds.join(' ')];
}
