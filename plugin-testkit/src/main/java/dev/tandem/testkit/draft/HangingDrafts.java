package dev.tandem.testkit.draft;

import java.util.concurrent.CountDownLatch;

/** Does not return from one of its calls, after some that went well, and ignores interrupts, until a test lets it. */
public final class HangingDrafts extends MisbehavingDrafts {
    private final CountDownLatch release = new CountDownLatch(1);

    /**
     * A strategy.
     *
     * @param where the call that hangs
     * @param harmless calls there that go well
     */
    public HangingDrafts(Call where, int harmless) {
        super("hanging", where, harmless);
    }

    /** Lets every hanging call return, now and later. */
    public void release() {
        release.countDown();
    }

    @Override
    void misbehave() {
        while (release.getCount() > 0) {
            try {
                release.await();
            } catch (InterruptedException e) {
                // ignoring it is the point
            }
        }
    }
}
