/*
 * Lua that several scripts begin with. Every script gets the test's now in ms as ARGV[1], or 0 for the server's
 * clock. A put rounds its now up and a claim rounds it down, so that no message is early by a fraction.
 */

/** `now`: whole ms, rounded up. For everything that computes a due time. */
export const NOW_UP = `
local now = tonumber(ARGV[1])
if now == 0 then local t = redis.call('TIME') now = t[1] * 1000 + math.ceil(t[2] / 1000) end`;

/** `now`: whole ms, rounded down. For everything that asks what is due or expired. */
export const NOW_DOWN = `
local now = tonumber(ARGV[1])
if now == 0 then local t = redis.call('TIME') now = t[1] * 1000 + math.floor(t[2] / 1000) end`;

/** `each(command, key, list)`: a command over a list, at most 1,000 values at a time (8,000 break `unpack`). */
export const EACH = `
local function each(command, key, list)
  for from = 1, #list, 1000 do redis.call(command, key, unpack(list, from, math.min(from + 999, #list))) end
end`;

/** `stamp(envelope, at)`: the envelope with another due time; one of an unknown version stays as it is. */
export const STAMP = `
local function stamp(envelope, at)
  local version = string.byte(envelope)
  if version ~= 49 and version ~= 50 then return envelope end
  return string.sub(envelope, 1, 1) .. string.format('%011x', at) .. string.sub(envelope, 13)
end`;

/** `dueOf(envelope)`: its due time, or `now` where it is missing or of an unknown version. */
export const DUE_OF = `
local function dueOf(envelope)
  local version = envelope and string.byte(envelope)
  if version ~= 49 and version ~= 50 then return now end
  return tonumber(string.sub(envelope, 2, 12), 16)
end`;

/** `earliest(due)`: the due time at the head, or infinity. */
export const EARLIEST = `
local function earliest(due) return tonumber(redis.call('ZRANGE', due, 0, 0, 'WITHSCORES')[2] or math.huge) end`;

/**
 * `hint(at, where)`: tells consumers that a region became due earlier. `where` is `{ channel, "<index> <topic>" }`.
 * A user without the right to publish loses only promptness, so failure is ignored.
 */
export const HINT = `
local function hint(at, channel, region)
  redis.pcall('PUBLISH', channel, string.format('%d ', at) .. region)
end`;

/** `shown`, `epoch`: the caller's and the region's epoch. Answers an outdated caller at once. */
export const epochCheck = (key: string, argument: string): string => `
local shown, epoch = tonumber(${argument}), tonumber(redis.call('GET', ${key}) or '0')
if shown < epoch then return 'moved' end`;
