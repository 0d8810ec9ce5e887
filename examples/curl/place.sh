#!/bin/sh
# Places one instance, starts it, and confirms its claim, with only curl. Each call that reserves resources has an idempotency key, so curl
# can repeat it (--retry) if no answer came, and nothing is reserved twice. Before that, two hosts report. The request allows only these
# two, so the example places nothing on other hosts.
set -eu
: "${GANTT_URL:=http://127.0.0.1:4400/graphql}" "${GANTT_KEY:?is not set}"

# call QUERY VARIABLES: makes a call and stores the answer. If the service is unavailable or busy, curl repeats the call after the time that
# the header Retry-After states.
call() {
  answer=$(printf '{"query":"%s","variables":%s}' "$1" "$2" |
    curl -sS --fail-with-body --max-time 15 --retry 6 --retry-all-errors --retry-max-time 60 "$GANTT_URL" \
      -H "Authorization: Bearer $GANTT_KEY" -H 'Content-Type: application/json' --data @-)
  case $answer in *'"errors":'*) printf '%s\n' "$answer" >&2; exit 1 ;; esac
}

# field NAME: prints a field of the last answer. Each needed field has a unique name in the queries.
field() { printf '%s' "$answer" | sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p"; }

# new_key: prints 32 random hexadecimal digits.
new_key() { od -An -N16 -tx1 /dev/urandom | tr -d ' \n'; }

# start_on HOST: does what a program does to start an instance on a host. If it fails, the host cannot start the instance.
start_on() { [ "$1" != rack1-a ]; }

report='mutation ($u: [ResourceStatsInput!]!) { updateResourceStats(input: { updates: $u }) { appliedCount } }'
uuid() { new_key | sed 's/^\(.\{8\}\)\(.\{4\}\).\(.\{3\}\).\(.\{3\}\)\(.\{12\}\)$/\1-\2-4\3-8\4-\5/'; }
stats() {
  printf '{"name":{"host":"%s"},"reporter":{"incarnation":"%s","sequence":1},"report":{"full":{"vcpus":%s,"vcpusUsed":0,"memoryMb":%s,"memoryMbUsed":0,"localGb":1000,"localGbUsed":0}}}' \
    "$1" "$(uuid)" "$2" "$((4096 * $2))"
}
call "$report" "{\"u\":[$(stats rack1-a 128),$(stats rack1-b 16)]}"

key=$(new_key)
room='... on SelectDestinationsPayload { decision { decisionId: id } destinations { selected { host { chosen: name } claim { claimId: id fence } } alternates { host { next: name } } } }'
call "mutation (\$in: SelectDestinationsInput!) { selectDestinations(input: \$in) { __typename $room ... on UserError { message } } }" \
  "{\"in\":{\"idempotencyKey\":\"$key\",\"alternatesPerInstance\":1,\"spec\":{\"gantt\":{\"flavor\":{\"vcpus\":2,\"memoryMb\":4096},\"forceHosts\":[\"rack1-a\",\"rack1-b\"]}}}}"
decision=$(field decisionId) host=$(field chosen) next=$(field next)
[ -n "$host" ] || { field message >&2; exit 1; }
echo "$host is reserved"

if ! start_on "$host"; then
  echo "$host refused: it has no image"
  call 'mutation ($c: [ClaimRef!]!) { claimRelease(claims: $c) { __typename } }' "{\"c\":[{\"id\":\"$(field claimId)\",\"fence\":$(field fence)}]}"
  call "mutation (\$in: ClaimCreateInput!) { claimCreate(input: \$in) { __typename $room ... on UserError { message } } }" \
    "{\"in\":{\"idempotencyKey\":\"$key/1\",\"decisionId\":\"$decision\",\"host\":{\"host\":\"$next\"}}}"
  host=$(field chosen)
  [ -n "$host" ] || { field message >&2; exit 1; }
  echo "$host is reserved"
  start_on "$host"
fi

call 'mutation ($c: [ClaimRef!]!) { claimConfirm(claims: $c) { __typename ... on ClaimPayload { claim { state } } ... on UserError { message } } }' \
  "{\"c\":[{\"id\":\"$(field claimId)\",\"fence\":$(field fence)}]}"
echo "$host runs it, and its claim is $(field state)"
