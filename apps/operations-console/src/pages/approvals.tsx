import { useProposals } from '../api/reads.js';
import { useMe } from '../api/console.js';
import { useTitle } from '../parts/hooks.js';
import { Answer, Empty } from '../parts/parts.js';
import { ProposalCard } from '../order/proposal.js';

/** Proposals: first those that wait for this person, then their own, then the decided ones. */
export function Approvals() {
  useTitle('Approvals');
  const { data: me } = useMe();
  const asked = useProposals();
  return (
    <>
      <h1>Approvals</h1>
      <Answer of={asked} what="proposals">
        {(proposals) => {
          const open = proposals.filter(({ state }) => state === 'open');
          const forMe = open.filter(({ proposedBy }) => proposedBy !== me?.person);
          const own = open.filter(({ proposedBy }) => proposedBy === me?.person);
          const decided = proposals.filter(({ state }) => state !== 'open').slice(0, 50);
          return (
            <>
              {forMe.length === 0 && <Empty>Nothing waits for you.</Empty>}
              {forMe.map((one) => (
                <ProposalCard key={one.id} proposal={one} />
              ))}
              {own.length > 0 && <h2>Yours, for somebody else to decide</h2>}
              {own.map((one) => (
                <ProposalCard key={one.id} proposal={one} />
              ))}
              {decided.length > 0 && (
                <details>
                  <summary>Decided ({decided.length})</summary>
                  {decided.map((one) => (
                    <ProposalCard key={one.id} proposal={one} />
                  ))}
                </details>
              )}
            </>
          );
        }}
      </Answer>
    </>
  );
}
