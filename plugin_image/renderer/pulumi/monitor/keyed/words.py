"""The words of pet names. Their order and number decide about the names of live objects."""

from typing import Final


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


ADVERBS: Final = _words(
    """
    almost always anew barely boldly briefly briskly calmly cheerfully clearly closely
    colorfully commonly constantly daintily daringly deeply eagerly easily evenly exactly
    faintly fairly finely firmly fondly freely freshly gently gladly gracefully happily hardly
    honestly jointly kindly lightly mainly mildly mostly nearly neatly nimbly often openly
    partly patiently playfully promptly proudly quickly quietly rarely readily safely silently
    slightly slowly smoothly softly steadily swiftly truly warmly
    """
)

ADJECTIVES: Final = _words(
    """
    agile amber ample ancient arctic azure balmy bold bouncy brave breezy bright brisk bronze
    calm candid carmine chatty cheery chilly clever cloudy coastal copper coral cosy crimson
    crisp curious dapper daring dewy distant dreamy dusty eager earnest early emerald fabled
    fair famous fearless festive fluffy foggy fragrant frosty gentle giddy gilded glossy golden
    graceful grand happy hardy hazel hidden honest humble icy indigo ivory jade jolly joyful
    keen kind lasting leafy lively lofty lucid lucky lunar mellow merry mighty mild misty modest
    mossy nimble noble northern olive opal orange patient pearly placid playful plucky polar
    proud purple quaint quick quiet rapid rosy ruby rugged rustic saffron sandy scarlet serene
    shady silent silver sincere sleek snowy solar spry starry sturdy sunny swift tidy velvet
    vivid
    """
)

NAMES: Final = _words(
    """
    aardvark adder albatross alpaca antelope armadillo avocet badger bat bear beaver bee beetle
    bison bittern boar bobcat buffalo butterfly buzzard camel caribou carp cat chameleon cheetah
    chicken chipmunk cicada clam cobra cod condor cormorant cow coyote crab crane cricket crow
    cuckoo curlew deer dingo dog dolphin donkey dormouse dove dragonfly duck eagle eel egret
    eland elephant elk emu ermine falcon ferret finch firefly flamingo fox frog gazelle gecko
    gibbon giraffe goat goldfinch goose gopher grouse gull hamster hare hawk hedgehog heron
    herring hippo hornet horse hyena ibex ibis iguana impala jackal jaguar jay kestrel
    kingfisher kite kiwi koala ladybird lark lemming lemur leopard lion lizard llama lobster
    lynx magpie mammoth marmot marten mole mongoose moose moth mouse newt octopus otter owl
    oyster panda
    """
)
