import { useProposals, type Proposal } from '../api/reads.js';
import { useMe } from '../api/console.js';
import { useTitle } from '../parts/hooks.js';
import { Answer, Empty } from '../parts/parts.js';
import { ProposalCard, useOpenOnes } from '../order/proposal.js';

/** Proposals: first those that wait for this person, then their own, then the decided ones. */
export function Approvals() {
  useTitle('Approvals');
  const { data: me } = useMe();
  const asked = useProposals();
  const open = useOpenOnes(asked.data ?? []);
  const forMe = open.filter(({ proposedBy }) => proposedBy !== me?.person);
  const own = open.filter(({ proposedBy }) => proposedBy === me?.person);
  const cards = (of: readonly Proposal[]) => of.map((one) => <ProposalCard key={one.id} proposal={one} />);
  return (
    <>
      <h1>Approvals</h1>
      <Answer of={asked} what="proposals">
        {(proposals) => {
          const decided = proposals.filter((one) => !open.includes(one)).slice(0, 50);
          return (
            <>
              {forMe.length === 0 && <Empty>Nothing waits for you.</Empty>}
              {cards(forMe)}
              {own.length > 0 && <h2>Yours, for somebody else to decide</h2>}
              {cards(own)}
              {decided.length > 0 && (
                <details>
                  <summary>Decided ({decided.length})</summary>
                  {cards(decided)}
                </details>
              )}
            </>
          );
        }}
      </Answer>
    </>
  );
}
