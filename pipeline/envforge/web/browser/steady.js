// Runs in every page before its own scripts. Chance is drawn from a seed, and in a replay the clock begins where it
// began when the run was recorded: the same page then says the same.
({ seed, shift }) => {
  let state = seed >>> 0;
  Math.random = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  if (!shift) return;
  const Real = Date;
  const now = () => Real.now() + shift;
  function Shifted(...given) {
    if (!new.target) return new Real(now()).toString();
    return Reflect.construct(Real, given.length ? given : [now()], new.target === Shifted ? Real : new.target);
  }
  Object.setPrototypeOf(Shifted, Real);
  Shifted.prototype = Real.prototype;
  Shifted.now = now;
  Real.prototype.constructor = Shifted;
  globalThis.Date = Shifted;
}
