let done = 0;

export function countDone(): void {
  done += 1;
}

export function reportDone(): void {
  setInterval(() => console.log(JSON.stringify({ done })), 250);
}
